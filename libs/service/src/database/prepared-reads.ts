import { createHash } from 'node:crypto';
import type { DataSource } from 'typeorm';

/** A prepared statement takes memory of every connection: texts beyond this are planned each time. */
const textsMax = 32;

interface Pool {
  query(query: { name?: string; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>;
}

/**
 * Reads by statements that each connection parses and plans once, for what is read all the time: planning takes as long as
 * reading a row, and many times as long in a table of partitions. Rejects with what PostgreSQL says.
 */
export class PreparedReads {
  private readonly names = new Map<string, string>();

  constructor(private readonly database: DataSource) {}

  async rows<T>(text: string, values: unknown[]): Promise<T[]> {
    const pool = (this.database.driver as unknown as { master: Pool }).master;
    const name = this.nameOf(text);
    const { rows } = await pool.query({ ...(name !== undefined && { name }), text, values });
    return rows as T[];
  }

  private nameOf(text: string): string | undefined {
    const known = this.names.get(text);
    if (known !== undefined || this.names.size >= textsMax) return known;
    // Readers share connections: one name stands for one text everywhere.
    const name = `read_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
    this.names.set(text, name);
    return name;
  }
}
