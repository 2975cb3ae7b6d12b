import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import type { KeyDirectory } from '../keys/key-directory.js';
import { PendingKeyChanges } from '../keys/pending-key-changes.js';
import type { SharedClock } from '../queue/shared-clock.js';
import type { CallbackHealth } from './callback-health.js';
import type { ChannelEnds } from './channel-ends.js';
import { KeyWatch } from './key-watch.js';

describe('changes of keys', () => {
  it('are applied although more keys fail than are applied at once', async () => {
    let change: (keyId: string) => void = () => undefined;
    const onChange = (listener: typeof change): void => void (change = listener);
    const keys = { onChange, isGone: () => false };
    const pending = new PendingKeyChanges(keys as unknown as KeyDirectory);
    pending.follow();
    const applied: string[] = [];
    const health = {
      update: async (keyId: string) => {
        if (keyId.startsWith('failing')) throw new Error('refused');
        applied.push(keyId);
      },
    };
    const clock = new TestClock();
    const watch = new KeyWatch(
      pending,
      keys as unknown as KeyDirectory,
      {} as unknown as ChannelEnds,
      health as unknown as CallbackHealth,
      clock as unknown as SharedClock,
      createLogger({ app: 'test', replicaId: 'test', level: 'silent' }),
    );
    watch.onModuleInit();
    for (let n = 0; n < 8; n++) change(`failing-${n}`);
    change('other');
    await clock.advance(1_000);
    await clock.advance(1_000);
    expect(applied).toEqual(['other']);
    expect(pending.has('other')).toBe(false);
    expect(pending.has('failing-0')).toBe(true);
    await watch.stop();
  });
});
