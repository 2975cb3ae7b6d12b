import type { EntityManager } from 'typeorm';
import { statementName } from './statement-name.js';

interface Queries {
  query(query: { name: string; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>;
}

/**
 * A statement that each connection parses and plans once, in the transaction of a manager or alone when it has none. For
 * constant texts that run all the time: each takes memory of every connection. Rejects with the error of pg, not with a
 * QueryFailedError.
 */
export class PreparedStatement<T> {
  private readonly name: string;

  constructor(private readonly text: string) {
    this.name = statementName(text);
  }

  async run(manager: EntityManager, values: unknown[]): Promise<T[]> {
    const { queryRunner, dataSource } = manager;
    const queries = queryRunner
      ? ((await queryRunner.connect()) as Queries)
      : (dataSource.driver as unknown as { master: Queries }).master;
    const { rows } = await queries.query({ name: this.name, text: this.text, values });
    return rows as T[];
  }
}
