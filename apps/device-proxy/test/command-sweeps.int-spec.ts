import type { Outbox } from '@lanyard/kafka';
import { createLogger, newId, openDatabase } from '@lanyard/service';
import { eventually, isolate, type Isolation, TestClock } from '@lanyard/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import type { CommandEnds } from '../src/commands/command-ends.js';
import { CommandIntake } from '../src/commands/command-intake.js';
import { CommandQueue } from '../src/commands/command-queue.js';
import { CommandExpiry, CommandHistorySweep } from '../src/commands/expiry.js';
import { expiryPeriodMs, historySweepMs } from '../src/commands/limits.js';
import type { DeviceProxyConfig } from '../src/config.js';
import { databaseOf } from '../src/database.js';

const dayMs = 86_400_000;

describe('sweeps of commands', () => {
  const logger = createLogger({ app: 'device-proxy', replicaId: 'test', level: 'silent' });
  let isolation: Isolation;
  let database: DataSource;
  let clock: TestClock;

  beforeAll(async () => {
    isolation = await isolate('command-sweeps');
    const secrets = { databaseUrl: isolation.databaseUrl };
    database = await openDatabase(databaseOf({ replicaId: 'dp-0', secrets } as Parameters<typeof databaseOf>[0]));
  });
  afterAll(async () => {
    await database?.destroy();
    await isolation?.drop();
  });
  beforeEach(async () => {
    clock = new TestClock(Date.now());
    await database.query('TRUNCATE commands, idempotency_keys');
  });

  /** Of an account, each for a device of its own. `finishedAt`: null while they wait. */
  const store = (n: number, accountId: string, expiresAt: Date, finishedAt: Date | null = null): Promise<unknown> =>
    database.query(
      `INSERT INTO commands (id, device_id, account_id, key_id, async_id, kind, method, path, fingerprint, retry_max,
         accepted_at, accepted_by, expires_at, finished_at, state)
       SELECT gen_random_uuid(), 'device ' || n || ' of ' || $2::text, $2::text, 'key', 'async', 'device-request', 'GET',
         '/3/0/0', '', 0, $3::timestamptz, 'dp-0', $3::timestamptz, $4::timestamptz,
         CASE WHEN $4::timestamptz IS NULL THEN 'waiting' ELSE 'succeeded' END
       FROM generate_series(1, $1::int) n`,
      [n, accountId, expiresAt, finishedAt],
    );

  const sweepsOf = (queue: Pick<CommandQueue, 'expire' | 'forgetOld'>) => {
    const given = queue as unknown as CommandQueue;
    const sweeps = [new CommandExpiry(database, given), new CommandHistorySweep(given)];
    for (const sweep of sweeps) Object.assign(sweep, { clock, logger }).onApplicationBootstrap();
    return { stop: () => Promise.all(sweeps.map((sweep) => sweep.stop())) };
  };

  it('an account with thousands of commands that are due does not delay the one of another account', async () => {
    const [many, other] = [newId(), newId()];
    await store(5_000, many, new Date(clock.now() - dayMs));
    await store(1, other, new Date(clock.now()));
    const ended: string[] = [];
    const expire = (deviceId: string): Promise<void> => Promise.resolve(void ended.push(deviceId));
    const sweeps = sweepsOf({ expire, forgetOld: () => Promise.resolve() });
    await clock.advance(expiryPeriodMs);
    await eventually(() => expect(ended).toHaveLength(200));
    await sweeps.stop();
    expect(
      ended
        .slice(0, 2)
        .map((deviceId) => deviceId.slice(-32))
        .sort(),
    ).toEqual([many, other].sort());
  });

  it('finished commands are deleted while others expire all the time', async () => {
    await store(1, newId(), new Date(clock.now() - dayMs));
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let forgotten = 0;
    const sweeps = sweepsOf({
      expire: () => held,
      forgetOld: () => {
        forgotten++;
        return Promise.resolve();
      },
    });
    await clock.advance(historySweepMs);
    expect(forgotten).toBe(1);
    release();
    await sweeps.stop();
  });

  it('what finished long ago is deleted in batches', async () => {
    const [old, recent] = [new Date(clock.now() - 31 * dayMs), new Date(clock.now() - dayMs)];
    await store(12_000, newId(), old, old);
    await store(1, newId(), recent, recent);
    await database.query(
      `INSERT INTO idempotency_keys (key_id, idempotency_key, fingerprint, command_id, stored_at)
       SELECT 'key', n::text, '', 'command', $1::timestamptz FROM generate_series(1, 6000) n`,
      [old],
    );
    const sizes: number[] = [];
    const query = async (sql: string, parameters: unknown[]): Promise<unknown> => {
      const result: [unknown[], number] = await database.query(sql, parameters);
      sizes.push(result[1]);
      return result;
    };
    const watched = { query, manager: { query } } as unknown as DataSource;
    const intake = new CommandIntake({} as unknown as Outbox, clock, { replicaId: 'dp-0' } as DeviceProxyConfig);
    await new CommandQueue(watched, intake, {} as unknown as CommandEnds, clock).forgetOld();
    expect(sizes).toEqual([5_000, 5_000, 2_000, 5_000, 1_000]);
    expect(await database.query('SELECT count(*)::int AS n FROM commands')).toEqual([{ n: 1 }]);
  });
});
