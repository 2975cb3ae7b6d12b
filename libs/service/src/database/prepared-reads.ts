import type { DataSource } from 'typeorm';
import { statementName } from './statement-name.js';

/** A prepared statement takes memory of every connection: texts beyond this are planned each time. */
const textsMax = 32;

interface Pool {
  query(query: { name?: string; text: string; values: unknown[]; rowMode?: 'array' }): Promise<{ rows: unknown[] }>;
}

/**
 * Reads by statements that each connection parses and plans once, for what is read all the time: planning takes as long as
 * reading a row, and many times as long in a table of partitions. Rejects with what PostgreSQL says.
 */
export class PreparedReads {
  private readonly names = new Map<string, string>();

  constructor(private readonly database: DataSource) {}

  async rows<T>(text: string, values: unknown[]): Promise<T[]> {
    const { rows } = await this.pool.query({ ...this.named(text), text, values });
    return rows as T[];
  }

  /**
   * Rows as arrays of their columns: no object is made of each. `each`: planned each time for its values, for conditions
   * that may find one row in a million, or all of them.
   */
  async tuples<T extends unknown[]>(text: string, values: unknown[], plan: 'once' | 'each' = 'once'): Promise<T[]> {
    const { rows } = await this.pool.query({
      ...(plan === 'once' && this.named(text)),
      text,
      values,
      rowMode: 'array',
    });
    return rows as T[];
  }

  /** The pool itself: TypeORM makes a query runner, and several promises, for each statement. */
  private get pool(): Pool {
    return (this.database.driver as unknown as { master: Pool }).master;
  }

  private named(text: string): { name?: string } {
    const known = this.names.get(text);
    if (known !== undefined) return { name: known };
    if (this.names.size >= textsMax) return {};
    const name = statementName(text);
    this.names.set(text, name);
    return { name };
  }
}
