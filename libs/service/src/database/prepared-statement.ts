import { createHash } from 'node:crypto';
import type { ClientBase } from 'pg';
import { type EntityManager, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { poolOf } from './pool.js';

/** Name of a prepared statement: the same for one text among all users of a connection. */
export const statementName = (text: string): string =>
  `lanyard_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;

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
    // As TypeORM does: the connection broke, and was given back.
    if (queryRunner?.isReleased) throw new QueryRunnerAlreadyReleasedError();
    const client = queryRunner ? ((await queryRunner.connect()) as ClientBase) : poolOf(dataSource);
    const { rows } = await client.query({ name: this.name, text: this.text, values });
    return rows as T[];
  }
}
