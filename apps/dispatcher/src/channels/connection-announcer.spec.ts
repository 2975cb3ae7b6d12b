import { expect, it } from '@jest/globals';
import { createLogger } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import type { ChannelRegistry } from '../queue/channel-registry.js';
import type { Replicas } from '../replicas/replicas.js';
import type { ChannelStore } from '../store/channel-store.js';
import { ConnectionAnnouncer } from './connection-announcer.js';

it('announces a change, at whichever moment after the previous one it comes', async () => {
  for (let turns = 0; turns < 20; turns++) {
    const announced: string[] = [];
    const announcer = new ConnectionAnnouncer(
      { withLock: async (channelId: string) => void announced.push(channelId) } as unknown as ChannelStore,
      {} as ChannelRegistry,
      new TestClock(),
      createLogger({ app: 'test', replicaId: 'test', level: 'silent' }),
      { onSocketsLost: () => undefined } as unknown as Replicas,
    );
    announcer.changed('first');
    for (let n = 0; n < turns; n++) await Promise.resolve();
    announcer.changed('second');
    await new Promise((turned) => setImmediate(turned));
    expect(announced).toEqual(['first', 'second']);
  }
});
