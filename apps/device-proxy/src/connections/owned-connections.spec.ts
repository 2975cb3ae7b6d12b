import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import { StallDetector } from '../sessions/stall-detector.js';
import type { DtlsHost } from '../transport/connection-sharing.js';
import type { ConnectionStore } from './connection-store.js';
import { scriptMax } from './limits.js';
import { OwnedConnections } from './owned-connections.js';
import type { ReplicaEvents } from './replica-events.js';
import type { ReplicaSlots } from './replica-slots.js';

const id = '0011223344556677';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

type SaveEnds = 'stored' | 'owned by another' | 'failed';

/** Connections whose saves and losses end when told to, and what was done to their states in Redis. */
const savedByHand = () => {
  const done: string[] = [];
  const ends: ((how: SaveEnds) => void)[] = [];
  const losses: (() => void)[] = [];
  const store = {
    firstEpoch: () => 7,
    save: () =>
      new Promise<boolean>((resolve, reject) => {
        ends.push((how) => {
          done.push('save ended');
          if (how === 'failed') reject(new Error('Redis is away'));
          else resolve(how === 'stored');
        });
      }),
    remove: () => {
      done.push('removed');
      return Promise.resolve();
    },
  };
  const counters = { sendSequence: 2, receivedMax: 1 };
  const host = {
    connection: () => ({ ...counters, confirmSaved: () => undefined }),
    save: () => ({ state: { id, ...counters }, credential: { id } }),
    registeredUntilMs: () => 0,
    lose: () => new Promise<void>((resolve) => losses.push(resolve)),
  };
  const clock = new TestClock();
  const owned = new OwnedConnections(
    store as unknown as ConnectionStore,
    new StallDetector(clock),
    { count: () => undefined } as unknown as ReplicaEvents,
    { onLapse: () => undefined } as unknown as ReplicaSlots,
    clock,
    createLogger({ app: 'test', replicaId: 'test', level: 'silent' }),
  );
  owned.start(host as unknown as DtlsHost);
  return { owned, done, endSave: (how: SaveEnds) => ends.shift()?.(how), endLoss: () => losses.shift()?.() };
};

describe('the state of a connection that closes', () => {
  it.each([
    ['is stored', 'stored'],
    ['is not stored', 'failed'],
  ] as const)('while it is being saved is removed after that, when it %s', async (_, how) => {
    const { owned, done, endSave } = savedByHand();
    owned.opened(id);
    owned.closed(id);
    await settled();
    expect(done).toEqual([]);
    endSave(how);
    await settled();
    expect(done).toEqual(['save ended', 'removed']);
  });

  it('when nothing is being saved is removed at once', async () => {
    const { owned, done, endSave } = savedByHand();
    owned.opened(id);
    endSave('stored');
    await settled();
    owned.closed(id);
    await settled();
    expect(done).toEqual(['save ended', 'removed']);
  });
});

describe('a connection that another replica has', () => {
  it('is neither sent on nor received from until it has ended here', async () => {
    const { owned, endSave, endLoss } = savedByHand();
    owned.opened(id);
    endSave('owned by another');
    await settled();
    expect([[...owned.ids()], owned.hasDoubts, owned.isDoubted(id)]).toEqual([[], true, true]);
    let isOurs: boolean | undefined;
    void owned.confirm(id).then((result) => (isOurs = result));
    await settled();
    expect(isOurs).toBeUndefined();
    endLoss();
    await settled();
    expect([isOurs, owned.hasDoubts, owned.isDoubted(id)]).toEqual([false, false, false]);
  });
});

describe('a replica that stops', () => {
  it('saves a connection again when the save in progress fails', async () => {
    const { owned, done, endSave } = savedByHand();
    owned.opened(id);
    const stopped = owned.stop();
    await settled();
    endSave('failed');
    await settled();
    endSave('stored');
    await stopped;
    expect(done).toEqual(['save ended', 'save ended']);
  });

  it('saves all other connections when one cannot be saved', async () => {
    const { owned, done, endSave } = savedByHand();
    const last = 2 * scriptMax;
    for (let n = 0; n <= last; n++) {
      owned.opened(n.toString(16).padStart(16, '0'));
      endSave('stored');
    }
    await settled();
    const stopped = owned.stop();
    await settled();
    endSave('failed');
    for (let n = 1; n < last; n++) endSave('stored');
    await settled();
    endSave('stored');
    await stopped;
    expect(done).toHaveLength(2 * (last + 1));
  });
});
