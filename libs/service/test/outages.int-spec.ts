import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Isolation, isolate } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { toServiceError } from '../src/http/error-filter.js';
import { InternalError, openDatabase, Unavailable } from '../src/index.js';

describe('what PostgreSQL says', () => {
  let isolation: Isolation;
  let database: DataSource;

  beforeAll(async () => {
    isolation = await isolate('outages');
    const url = isolation.databaseUrl;
    database = await openDatabase({
      url,
      schema: 'o',
      entities: [],
      migrations: [],
      applicationName: 'test',
      poolSize: 1,
    });
  });

  afterAll(async () => {
    await database?.destroy();
    await isolation?.drop();
  });

  /** What a client gets of it. */
  const answered = async (work: Promise<unknown>): Promise<unknown> => {
    const error = await work.then(
      () => undefined,
      (failure: unknown) => failure,
    );
    return toServiceError(error);
  };

  it('is no bug when every connection is taken for too long, or a statement takes too long', async () => {
    const runner = database.createQueryRunner();
    await runner.connect();
    expect(await answered(database.query('SELECT 1'))).toBeInstanceOf(Unavailable);
    await runner.query('SET statement_timeout = 1');
    expect(await answered(runner.query('SELECT pg_sleep(10)'))).toBeInstanceOf(Unavailable);
    await runner.query('RESET statement_timeout');
    await runner.release();
  });

  it('is one when the statement is wrong', async () => {
    expect(await answered(database.query('SELECT nothing FROM nowhere'))).toBeInstanceOf(InternalError);
  });
});
