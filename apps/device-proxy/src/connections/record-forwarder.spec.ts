import { describe, expect, it } from '@jest/globals';
import type { DtlsConnection } from '@lanyard/dtls';
import { createLogger } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import type { DtlsHost } from '../transport/connection-sharing.js';
import type { ConnectionStore } from './connection-store.js';
import { lookupsPerSecond } from './limits.js';
import type { OwnedConnections } from './owned-connections.js';
import type { PeerPort } from './peer-port.js';
import { RecordForwarder } from './record-forwarder.js';
import type { ReplicaEvents } from './replica-events.js';
import type { ReplicaSlots } from './replica-slots.js';

const from = { address: '192.0.2.1', port: 5_684 };

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A replica whose lookups in Redis end as `takeOver` says. */
const forwarderOf = (
  takeOver: () => Promise<unknown>,
  { clock = new TestClock(), ...host }: { clock?: TestClock } & Partial<DtlsHost> = {},
): RecordForwarder => {
  const forwarder = new RecordForwarder(
    { takeOver } as unknown as ConnectionStore,
    {
      takenOver: () => undefined,
      confirm: (id: string) => Promise.resolve(host.connection?.(id) !== undefined),
    } as unknown as OwnedConnections,
    {} as unknown as PeerPort,
    { makerOf: () => undefined } as unknown as ReplicaSlots,
    { count: () => undefined } as unknown as ReplicaEvents,
    clock,
    createLogger({ app: 'test', replicaId: 'test', level: 'silent' }),
  );
  forwarder.start({ hasRoomFor: () => true, ...host } as unknown as DtlsHost);
  return forwarder;
};

/** A replica that finds no connection in Redis. */
const forwarderWith = (clock: TestClock) => {
  let lookups = 0;
  let ids = 0;
  const takeOver = () => {
    lookups++;
    return Promise.resolve({ kind: 'none' });
  };
  const forwarder = forwarderOf(takeOver, { clock });
  /** Receives records of this many other connections, and returns how many of those were looked up. */
  const receive = async (records: number): Promise<number> => {
    const before = lookups;
    for (let n = 0; n < records; n++) {
      const id = Buffer.alloc(8);
      id.writeUInt32BE(ids++);
      forwarder.receiveUnknown(id, Buffer.alloc(20), from);
    }
    await settled();
    return lookups - before;
  };
  return { receive };
};

describe('records of connections that are not known', () => {
  it.each([
    ['a second later', 1_000],
    ['when the clock was set back', -300_000],
  ])('lead to a bounded number of lookups in a second, and to others %s', async (_, laterMs) => {
    const clock = new TestClock();
    const { receive } = forwarderWith(clock);
    expect([await receive(lookupsPerSecond), await receive(1)]).toEqual([lookupsPerSecond, 0]);
    await clock.advance(laterMs);
    expect(await receive(1)).toBe(1);
  });
});

describe('a connection that is taken over', () => {
  it('needs room where its record has arrived', async () => {
    const saved = { state: { receivedMax: 0 }, credential: { id: 'credential' } };
    const restored: unknown[] = [];
    const forwarder = forwarderOf(() => Promise.resolve({ kind: 'taken', epoch: 2, takeOvers: 1, saved }), {
      restore: (...given) => restored.push(given) > 0,
      receive: () => undefined,
      connection: () => undefined,
    });
    forwarder.receiveUnknown(Buffer.alloc(8, 1), Buffer.alloc(20), from);
    await settled();
    expect(restored).toEqual([[saved, 1, from]]);
  });
});

describe('a record that another replica sends back', () => {
  it.each([
    ['is received if its connection is here by now, which is not taken over once more', true, [0, 1]],
    ['is looked up if its connection is not here', false, [1, 0]],
  ])('%s', async (_, isHere, expected) => {
    let lookups = 0;
    let received = 0;
    const takeOver = () => {
      lookups++;
      return Promise.resolve({ kind: 'none' });
    };
    const forwarder = forwarderOf(takeOver, {
      connection: () => (isHere ? ({} as DtlsConnection) : undefined),
      receive: () => void received++,
    });
    forwarder.receiveDoubted('01', Buffer.alloc(20), from);
    await settled();
    expect([lookups, received]).toEqual(expected);
  });
});
