import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { abortFetches, endFetches, replaceFetchWait, sendHeartbeat } from './fetch-abort.js';

interface Group {
  cluster: object;
  maxWaitTime: number;
  heartbeat(): Promise<void>;
  joinAndSync(): Promise<void>;
  leave(): Promise<void>;
  fetch(nodeId: string): Promise<readonly unknown[]>;
  recoverFromFetch(error: Error): Promise<void>;
}

const ConsumerGroup = createRequire(import.meta.url)('kafkajs/src/consumer/consumerGroup.js') as {
  prototype: Group;
  new (options: object): Group & { lastRequest: number };
};
const { prototype } = ConsumerGroup;

const longMs = 60_000;

/** What kafkajs does of its own, by group. */
const joins = new WeakMap<Group, () => Promise<void>>();
const fetched = new WeakMap<Group, (nodeId: string) => Promise<readonly unknown[]>>();
const recoveries = new WeakMap<Group, (error: Error) => Promise<void>>();

prototype.joinAndSync = async function () {
  await joins.get(this)?.();
};
prototype.leave = async () => undefined;
prototype.fetch = async function (nodeId) {
  return (await fetched.get(this)?.(nodeId)) ?? [];
};
prototype.recoverFromFetch = async function (error) {
  await recoveries.get(this)?.(error);
};
replaceFetchWait();

/** The connection to a broker for fetches. */
const connectionFor = () => {
  const inflight = new Map<number, { entry: { apiName: string } }>();
  const rejects: ((error: Error) => void)[] = [];
  return {
    requestQueue: { inflight },
    chunks: [] as Buffer[],
    bytesBuffered: 0,
    bytesNeeded: 4,
    /** Rejects when it is aborted. */
    write: (apiName: string) =>
      new Promise<never>((_, reject) => {
        inflight.set(inflight.size, { entry: { apiName } });
        rejects.push(reject);
      }),
    rejectRequests: (error: Error) => {
      inflight.clear();
      for (const reject of rejects.splice(0)) reject(error);
    },
    disconnect: async () => true,
  };
};

const groupOf = (...connections: ReturnType<typeof connectionFor>[]): Group => {
  const brokers = Object.fromEntries(
    connections.map((connection, n) => [String(n), { connectionPool: { pool: [undefined, connection] } }]),
  );
  const group = Object.create(prototype) as Group;
  return Object.assign(group, { cluster: { brokerPool: { brokers } }, maxWaitTime: longMs });
};

describe('the fetches of a consumer', () => {
  it('are not aborted while their connection authenticates, but as soon as they are written', async () => {
    const connection = connectionFor();
    const group = groupOf(connection);
    await group.joinAndSync();
    const writing: Promise<unknown>[] = [];
    fetched.set(group, async () => {
      writing.push(connection.write('SaslHandshake').catch((error: unknown) => error));
      return new Promise(() => undefined);
    });
    const fetch = group.fetch('0');
    abortFetches(group.cluster);
    expect([...connection.requestQueue.inflight.values()]).toEqual([{ entry: { apiName: 'SaslHandshake' } }]);
    connection.requestQueue.inflight.clear();
    writing.push(connection.write('Fetch').catch((error: unknown) => error));
    expect(await fetch).toEqual([]);
    expect(connection.requestQueue.inflight.size).toBe(0);
    await eventually(() => expect(group.maxWaitTime).toBe(longMs));
    expect(await writing[1]).toMatchObject({ name: 'KafkaJSBrokerNotFound' });
  });

  it('are aborted when they are written after they were given up, and do not keep the next from an answer', async () => {
    const connection = connectionFor();
    const group = groupOf(connection);
    await group.joinAndSync();
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    fetched.set(group, async () => {
      await opened;
      return connection.write('Fetch').catch(() => []);
    });
    const first = group.fetch('0');
    abortFetches(group.cluster);
    expect(await first).toEqual([]);
    const next = group.fetch('0');
    open();
    expect(await next).toEqual([]);
    await eventually(() => expect(group.maxWaitTime).toBe(longMs));
  });

  it('are not given up while one of them joins the group again', async () => {
    const group = groupOf();
    await group.joinAndSync();
    let finish = (): void => undefined;
    joins.set(group, () => new Promise((resolve) => (finish = resolve)));
    fetched.set(group, async () => {
      await group.joinAndSync();
      return ['joined'];
    });
    const fetch = group.fetch('0');
    abortFetches(group.cluster);
    // More than the time after which others are given up.
    await sleep(400);
    finish();
    expect(await fetch).toEqual(['joined']);
    await eventually(() => expect(group.maxWaitTime).toBe(longMs));
  });

  it('do not keep a consumer from leaving, and neither does a join that waits for other members, when it stops', async () => {
    const [general, forFetches] = [connectionFor(), connectionFor()];
    const group = groupOf(forFetches);
    const connectionPool = { pool: [general, forFetches] };
    Object.assign(group.cluster, { brokerPool: { brokers: { 0: { connectionPool } } } });
    joins.set(group, () => general.write('JoinGroup'));
    const joined = group.joinAndSync();
    endFetches(group.cluster);
    await expect(joined).rejects.toMatchObject({ name: 'KafkaJSBrokerNotFound' });
  });

  it('from other brokers end soon when the connection to one is closed', async () => {
    const [closed, held] = [connectionFor(), connectionFor()];
    const group = groupOf(closed, held);
    await group.joinAndSync();
    fetched.set(group, () => held.write('Fetch').catch(() => []));
    const fetch = group.fetch('1');
    await group.recoverFromFetch(Object.assign(new Error('closed'), { name: 'KafkaJSConnectionClosedError' }));
    expect(await fetch).toEqual([]);
  });

  it('from other brokers end soon when one cannot be reached', async () => {
    const [unreachable, held] = [connectionFor(), connectionFor()];
    const group = groupOf(unreachable, held);
    await group.joinAndSync();
    fetched.set(group, () => held.write('Fetch').catch(() => []));
    recoveries.set(group, (error) => Promise.reject(error));
    const fetch = group.fetch('1');
    await expect(group.recoverFromFetch(new Error('not connected'))).rejects.toThrow('not connected');
    expect(await fetch).toEqual([]);
  });
});

describe('the heartbeats of a consumer', () => {
  const counting = (group: Group): (() => number) => {
    let sent = 0;
    group.heartbeat = async () => void sent++;
    return () => sent;
  };

  it('pause while it joins its group, and continue when it could not', async () => {
    const group = groupOf();
    const sent = counting(group);
    let fail = (): void => undefined;
    joins.set(group, () => new Promise((_, reject) => (fail = () => reject(new Error('no coordinator')))));
    const joined = group.joinAndSync();
    await sendHeartbeat(group.cluster);
    expect(sent()).toBe(0);
    fail();
    await expect(joined).rejects.toThrow('no coordinator');
    await sendHeartbeat(group.cluster);
    expect(sent()).toBe(1);
  });

  it('end when it has left', async () => {
    const group = groupOf();
    const sent = counting(group);
    await group.joinAndSync();
    await group.leave();
    await sendHeartbeat(group.cluster);
    expect(sent()).toBe(0);
  });

  it('are sent though the clock was set back by an hour', async () => {
    const group = new ConsumerGroup({
      cluster: {},
      logger: { namespace: () => undefined },
      instrumentationEmitter: { emit: () => undefined },
    });
    let sent = 0;
    const coordinator = { heartbeat: async () => void sent++ };
    Object.assign(group, { memberId: 'member', coordinator, lastRequest: Date.now() + 3_600_000 });
    await group.joinAndSync();
    await sendHeartbeat(group.cluster);
    await sendHeartbeat(group.cluster);
    expect(sent).toBe(2);
    expect(group.lastRequest).toBeLessThanOrEqual(Date.now());
  });

  it.each([
    ['REBALANCE_IN_PROGRESS', 'rebalancing'],
    ['NOT_COORDINATOR_FOR_GROUP', 'rebalancing'],
    ['ILLEGAL_GENERATION', 'lost'],
    ['UNKNOWN_MEMBER_ID', 'lost'],
    [undefined, 'kept'],
  ])('that are refused with %s tell that the membership is %s', async (type, membership) => {
    const group = groupOf();
    group.heartbeat = () => Promise.reject(Object.assign(new Error('refused'), { type }));
    await group.joinAndSync();
    expect(await sendHeartbeat(group.cluster)).toBe(membership);
  });
});
