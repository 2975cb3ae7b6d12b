import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunningService } from '@lanyard/service';
import { eventually, WebSocketClient } from '@lanyard/testing';
import { AuditTrail, Outbox } from '@lanyard/kafka';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { Channel } from '../src/db/channel.entity.js';
import { DropReport } from '../src/db/drop-report.entity.js';
import { ChannelStore } from '../src/store/channel-store.js';
import { DropReportStore } from '../src/store/drop-report-store.js';
import { changesWaitingMax } from '../src/limits.js';
import { type Answer, type Customer, TestSystem } from './test-system.js';

/** Its silence is soon over. */
class ImpatientStore extends ChannelStore {
  protected override readonly silenceMaxMs = 50;
}

describe('changes of channels', () => {
  let system: TestSystem;
  let service: RunningService;
  let customer: Customer;

  beforeAll(async () => {
    system = await TestSystem.create('channel-changes');
    service = await system.startReplica();
  });

  afterAll(() => system?.drop());

  beforeEach(async () => {
    customer = await system.customer();
  });

  const put = (as = customer, body?: unknown): Promise<Answer> => system.call(service, as, 'PUT', 'websocket', body);

  const revision = async (): Promise<unknown> =>
    (await system.query('SELECT revision FROM dispatcher.channels WHERE key_id = $1', [customer.keyId]))[0];

  /** Another replica is at work on the channel of this key, until the result is called. */
  const lock = async ({ keyId }: Customer): Promise<() => Promise<void>> => {
    const other = new Client({ connectionString: system.isolation.databaseUrl });
    await other.connect();
    await other.query('SELECT pg_advisory_lock($1, hashtext($2))', [0xd15b, keyId]);
    return () => other.end();
  };

  it('of a key that wait for each other hold one connection of all; too many of them are refused', async () => {
    const neighbour = await system.customer();
    const unlock = await lock(customer);
    const answered: number[] = [];
    const crowd = Array.from({ length: 20 }, async () => answered.push((await put()).status));
    await eventually(() => expect(answered).toHaveLength(20 - 1 - changesWaitingMax));
    expect(new Set(answered)).toEqual(new Set([429]));
    expect((await put(neighbour)).status).toBe(201);
    expect(answered).toHaveLength(20 - 1 - changesWaitingMax);
    await unlock();
    await Promise.all(crowd);
    expect(answered.filter((status) => status !== 429).sort()).toEqual([
      ...Array<number>(changesWaitingMax).fill(200),
      201,
    ]);
  });

  it('of a key continue when the replica that is changing its channel has fallen silent', async () => {
    const database = new DataSource({
      type: 'postgres',
      url: system.isolation.databaseUrl,
      schema: 'dispatcher',
      entities: [Channel, DropReport],
    });
    await database.initialize();
    const outbox = new Outbox('dispatcher', 'test');
    const reports = new DropReportStore(outbox, system.clock);
    const parts = [database, outbox, reports, new AuditTrail(outbox), system.clock] as const;
    const [frozen, next] = [new ImpatientStore(...parts), new ChannelStore(...parts)];
    const releases: (() => void)[] = [];
    let late: Promise<void> | undefined;
    await new Promise<void>((begun) => {
      late = frozen.withLock(customer.keyId, async (locked) => {
        begun();
        await new Promise<void>((thawed) => releases.push(thawed));
        await locked.nextRevision();
      });
    });
    expect(await next.withLock(customer.keyId, (locked) => locked.find())).toBeNull();
    releases[0]!();
    await expect(late).rejects.toThrow();
    // The connection that was given back, which is the only one now, may be silent.
    expect(await database.query('SHOW idle_session_timeout')).toEqual([{ idle_session_timeout: '0' }]);
    await database.destroy();
  });

  it('a WebSocket channel that is as it shall be is left alone', async () => {
    const serialization = { type: 'v2', max_chunk_size: 7, cfg: { include_uid: true } };
    await put(customer, { serialization });
    const made = await revision();
    const unlock = await lock(customer);
    expect(await put()).toMatchObject({ status: 200, body: { queue_size: 0, serialization } });
    expect((await put(customer, { serialization })).status).toBe(200);
    expect(await revision()).toEqual(made);
    await unlock();
    const other = { ...serialization, max_chunk_size: 8 };
    expect(await put(customer, { serialization: other })).toMatchObject({
      status: 200,
      body: { serialization: other },
    });
    expect(await revision()).not.toEqual(made);
  });

  it('a WebSocket channel that Redis does not have is made known to it', async () => {
    await put();
    const lost = await system.redis.keys(`${system.isolation.redisPrefix}*${customer.keyId}*`);
    expect(await system.redis.del(lost)).toBeGreaterThan(0);
    expect((await put()).status).toBe(200);
    const client = await new WebSocketClient({ url: service.url, key: customer.key }).opened();
    await eventually(async () =>
      expect((await system.call(service, customer, 'GET', 'websocket')).body).toMatchObject({ status: 'connected' }),
    );
    client.close();
  });
});
