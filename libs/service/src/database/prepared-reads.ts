import type { DataSource } from 'typeorm';
import { setBounded } from '../set-bounded.js';
import { poolOf } from './pool.js';
import { statementName } from './prepared-statement.js';

/** A prepared statement takes memory of every connection: texts beyond this are planned each time. */
const textsMax = 32;

/** Clients choose filters and page sizes, and so the texts: a text that is rarely used is not prepared. */
const usesMin = 10;
const countedMax = 200;

/**
 * Reads by statements that each connection parses and plans once, for what is read all the time: planning takes as long as
 * reading a row, and many times as long in a table of partitions. Other texts are planned each time. Rejects with the
 * error of PostgreSQL.
 */
export class PreparedReads {
  private readonly names = new Map<string, string>();
  /** How often texts without a name were used. */
  private readonly uses = new Map<string, number>();

  constructor(private readonly database: DataSource) {}

  async rows<T>(text: string, values: unknown[]): Promise<T[]> {
    const { rows } = await poolOf(this.database).query({ text, values, name: this.nameOf(text) });
    return rows as T[];
  }

  /**
   * Rows as arrays of their columns: no object is created for each row. `each`: the statement is planned each time for its
   * values, for conditions that may find one row in a million, or all of them.
   */
  async tuples<T extends unknown[]>(text: string, values: unknown[], plan: 'once' | 'each' = 'once'): Promise<T[]> {
    const name = plan === 'once' ? this.nameOf(text) : undefined;
    const { rows } = await poolOf(this.database).query({ text, values, name, rowMode: 'array' });
    return rows as T[];
  }

  private nameOf(text: string): string | undefined {
    const known = this.names.get(text);
    if (known !== undefined || this.names.size >= textsMax) return known;
    const uses = (this.uses.get(text) ?? 0) + 1;
    if (uses < usesMin) {
      setBounded(this.uses, text, uses, countedMax);
      return undefined;
    }
    this.uses.delete(text);
    const name = statementName(text);
    this.names.set(text, name);
    return name;
  }
}
