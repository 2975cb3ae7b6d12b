import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, infrastructure, type Isolation, isolate } from '@lanyard/testing';
import { Cluster } from 'ioredis';
import type { DataSource } from 'typeorm';
import { statementMaxMs } from '../src/database/open-database.js';
import { toServiceError } from '../src/http/error-filter.js';
import {
  FairQueue,
  InternalError,
  openDatabase,
  PreparedStatement,
  QueryTimedOut,
  redisClient,
  Unavailable,
} from '../src/index.js';

/** What a client gets of it. */
const answered = async (work: Promise<unknown>): Promise<unknown> => {
  const error = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  return toServiceError(error);
};

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

  it('is no bug when every connection is taken for too long, or a statement takes too long', async () => {
    const runner = database.createQueryRunner();
    await runner.connect();
    expect(await answered(database.query('SELECT 1'))).toBeInstanceOf(Unavailable);
    const prepared = new PreparedStatement('SELECT pg_sleep(10)');
    expect(await answered(prepared.run(database.manager, []))).toBeInstanceOf(Unavailable);
    await runner.query('SET statement_timeout = 200');
    expect(await answered(runner.query('SELECT pg_sleep(10)'))).toBeInstanceOf(Unavailable);
    expect(await answered(prepared.run(runner.manager, []))).toBeInstanceOf(Unavailable);
    await runner.query('RESET statement_timeout');
    await runner.release();
  });

  it('of a list that takes too long: that another try would take as long', async () => {
    const runner = database.createQueryRunner();
    await runner.query('SET statement_timeout = 200');
    const list = FairQueue.at(database).run('a', () => runner.query('SELECT pg_sleep(10)'));
    const answer = await answered(list);
    await runner.query('RESET statement_timeout');
    await runner.release();
    expect(answer).toBeInstanceOf(QueryTimedOut);
    expect(answer).toMatchObject({ status: 504, code: 'query_timeout', message: expect.stringContaining(' 30 s: ') });
    expect(await database.query('SHOW statement_timeout')).toEqual([{ statement_timeout: '30s' }]);
  });

  it('is no bug when the connection of a transaction ends between two statements', async () => {
    const transaction = database.transaction(async (manager) => {
      await manager.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
      await manager.query('SELECT 1');
    });
    expect(await answered(transaction)).toBeInstanceOf(Unavailable);
  });

  it('is no bug when the connection of a transaction has ended before a prepared statement', async () => {
    const prepared = new PreparedStatement('SELECT 1');
    const transaction = database.transaction(async (manager) => {
      await manager.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
      await eventually(() => manager.queryRunner?.isReleased === true);
      await prepared.run(manager, []);
    });
    expect(await answered(transaction)).toBeInstanceOf(Unavailable);
  });

  it('is no bug when its machine is lost: a statement that was sent to it does not wait for as long as TCP does', async () => {
    const runner = database.createQueryRunner();
    const { connection } = (await runner.connect()) as { connection: { stream: Socket } };
    expect(connection.stream.timeout).toBeGreaterThan(statementMaxMs);
    const answer = answered(runner.query('SELECT pg_sleep(20)'));
    await new Promise(setImmediate);
    connection.stream.emit('timeout');
    expect(await answer).toBeInstanceOf(Unavailable);
    await runner.release();
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('is the end of a transaction that is silent: others get what it had locked', async () => {
    await database.query('CREATE TABLE o.rows AS SELECT 1 AS id');
    const [{ idle_in_transaction_session_timeout: limit }] = (await database.query(
      'SHOW idle_in_transaction_session_timeout',
    )) as [{ idle_in_transaction_session_timeout: string }];
    expect(limit).toBe('30s');
    let speak: (() => void) | undefined;
    const othersHaveIt = new Promise<void>((resolve) => (speak = resolve));
    let silent: Promise<unknown> | undefined;
    await new Promise<void>((locked) => {
      silent = database.transaction(async (manager) => {
        await manager.query('SELECT 1 FROM o.rows FOR UPDATE');
        await manager.query('SET LOCAL idle_in_transaction_session_timeout = 1000');
        locked();
        await othersHaveIt;
        await manager.query('UPDATE o.rows SET id = 2');
      });
    });
    const ended = answered(silent as Promise<unknown>);
    expect(await database.query('SELECT id FROM o.rows FOR UPDATE')).toEqual([{ id: 1 }]);
    speak?.();
    expect(await ended).toBeInstanceOf(Unavailable);
  });

  it.each(['53100', '53200', '53300', '58030'])(
    'is no bug when its disk or memory is full, or fails (%s)',
    async (code) => {
      const refusal = database.query(
        `DO $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = '${code}'; END $$`,
      );
      expect(await answered(refusal)).toBeInstanceOf(Unavailable);
    },
  );

  it('is one when the statement is wrong', async () => {
    expect(await answered(database.query('SELECT nothing FROM nowhere'))).toBeInstanceOf(InternalError);
  });
});

describe('what the network says', () => {
  it.each([
    ['the name of a server that is stopped does not resolve', 'getaddrinfo', 'ENOTFOUND'],
    ['the servers of names do not answer', 'getaddrinfo', 'EAI_AGAIN'],
    ['the machine of a server is lost', 'connect', 'EHOSTUNREACH'],
    ['its network is lost', 'connect', 'ENETUNREACH'],
    ['nothing listens', 'connect', 'ECONNREFUSED'],
  ])('is no bug when %s', async (_, syscall, code) => {
    const error = Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
    expect(await answered(Promise.reject(error))).toBeInstanceOf(Unavailable);
  });
});

describe('what Redis says', () => {
  const redis = redisClient(infrastructure().redisUrl, { retryStrategy: () => 100 });

  afterAll(() => redis.disconnect());

  const refusal = (text: string): Promise<unknown> => redis.eval('return redis.error_reply(ARGV[1])', 0, text);

  it.each([
    'MISCONF Errors writing to the AOF file: No space left on device',
    "OOM command not allowed when used memory > 'maxmemory'.",
    "ERR Error running script (call to f_1): @user_script:1: @user_script: 1: -OOM command not allowed when used memory > 'maxmemory'.",
    'LOADING Redis is loading the dataset in memory',
    "READONLY You can't write against a read only replica.",
    'CLUSTERDOWN The cluster is down',
  ])('is no bug when it takes nothing now: %s', async (text) => {
    expect(await answered(refusal(text))).toBeInstanceOf(Unavailable);
  });

  it('is no bug when no node of a cluster answers', async () => {
    const options = { enableOfflineQueue: false, maxRetriesPerRequest: 0, retryStrategy: () => 100 };
    const cluster = redisClient('redis+cluster://127.0.0.1:1', options);
    cluster.on('error', () => undefined);
    expect(await answered(cluster.get('a'))).toBeInstanceOf(Unavailable);
    cluster.disconnect();
  });

  it('is no bug when a cluster refuses a command for longer than ioredis repeats it', async () => {
    const cluster = new Cluster([{ host: '127.0.0.1', port: 1 }], { lazyConnect: true });
    const refused = (await refusal('CLUSTERDOWN The cluster is down').catch((error: unknown) => error)) as Error;
    const repeated = new Promise((_, maxRedirections) => {
      cluster.handleError(refused, { value: 1 }, { maxRedirections });
    });
    expect(await answered(repeated)).toBeInstanceOf(Unavailable);
  });

  it('is one when the command is wrong', async () => {
    expect(await answered(refusal('ERR wrong number of arguments'))).toBeInstanceOf(InternalError);
  });
});
