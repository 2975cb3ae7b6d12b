import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import { StallDetector } from '../sessions/stall-detector.js';
import type { DtlsHost } from '../transport/connection-sharing.js';
import type { ConnectionStore } from './connection-store.js';
import { OwnedConnections } from './owned-connections.js';
import type { ReplicaEvents } from './replica-events.js';
import type { ReplicaSlots } from './replica-slots.js';

const id = '0011223344556677';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Connections whose saves end when told to, and what was done to their states in Redis. */
const savedByHand = () => {
  const done: string[] = [];
  const ends: ((isStored: boolean) => void)[] = [];
  const store = {
    firstEpoch: () => 7,
    save: () =>
      new Promise<boolean>((resolve, reject) => {
        ends.push((isStored) => {
          done.push('save ended');
          if (isStored) resolve(true);
          else reject(new Error('Redis is away'));
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
  return { owned, done, endSave: (isStored: boolean) => ends.shift()?.(isStored) };
};

describe('the state of a connection that closes', () => {
  it.each([
    ['is stored', true],
    ['is not stored', false],
  ])('while it is being saved is removed after that, when it %s', async (_, isStored) => {
    const { owned, done, endSave } = savedByHand();
    owned.opened(id);
    owned.closed(id);
    await settled();
    expect(done).toEqual([]);
    endSave(isStored);
    await settled();
    expect(done).toEqual(['save ended', 'removed']);
  });

  it('when nothing is being saved is removed at once', async () => {
    const { owned, done, endSave } = savedByHand();
    owned.opened(id);
    endSave(true);
    await settled();
    owned.closed(id);
    await settled();
    expect(done).toEqual(['save ended', 'removed']);
  });
});
