import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@lanyard/service';
import type { Channel } from '../db/channel.entity.js';
import type { ChannelRegistry } from '../queue/channel-registry.js';
import type { ChannelRegistrar } from '../store/channel-registrar.js';
import type { ChannelStore, LockedChannel } from '../store/channel-store.js';
import type { CallbackHealth } from './callback-health.js';
import type { ChannelEnds } from './channel-ends.js';
import { Repair } from './repair.js';

describe('channels that Redis does not have', () => {
  const channels = ['a', 'b', 'c'].map((keyId) => ({ keyId, revision: '1' }) as Channel);
  const registered: string[] = [];

  /** Redis refuses `b` with this message. */
  const repairOf = (message: string): Repair => {
    registered.length = 0;
    const lockedOf = (keyId: string) => ({ find: async () => channels.find((each) => each.keyId === keyId) ?? null });
    const store = {
      async *pages() {
        yield channels;
      },
      withLock: (keyId: string, work: (locked: LockedChannel) => Promise<void>) =>
        work(lockedOf(keyId) as unknown as LockedChannel),
    };
    const registry = {
      revisions: async () => channels.map(() => ''),
      async *all() {
        yield [];
      },
    };
    const registrar = {
      register: async ({ keyId }: Channel) => {
        if (keyId === 'b') throw new Error(message);
        registered.push(keyId);
      },
    };
    const health = { isDeleted: () => false, isCurrent: () => true };
    return new Repair(
      store as unknown as ChannelStore,
      registry as unknown as ChannelRegistry,
      registrar as unknown as ChannelRegistrar,
      {} as unknown as ChannelEnds,
      health as unknown as CallbackHealth,
      createLogger({ app: 'test', replicaId: 'test', level: 'silent' }),
    );
  };

  it('are registered, but for one that a full Redis does not take', async () => {
    const repair = repairOf("OOM command not allowed when used memory > 'maxmemory'.");
    expect(await repair.run()).toBe(false);
    expect(registered).toEqual(['a', 'c']);
  });

  it('wait for a Redis that refuses for another reason', async () => {
    await expect(repairOf('MISCONF Errors writing to the AOF file').run()).rejects.toThrow('MISCONF');
    expect(registered).toEqual(['a']);
  });
});
