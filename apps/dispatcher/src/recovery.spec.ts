import { describe, expect, it } from '@jest/globals';
import { Recovery } from './recovery.js';

type Parts = ConstructorParameters<typeof Recovery>[0];

describe('recovery', () => {
  it('a connection that breaks during the first one: it is tried again, and the intake opens', async () => {
    const link = { era: 0, onLost: () => undefined, onBack: () => undefined };
    let repairs = 0;
    let resumed = 0;
    const parts = {
      links: [link],
      repair: { run: async () => void (repairs++ === 0 && link.era++) },
      registry: { generations: async () => [] },
      intake: { resume: () => void resumed++ },
      clock: { every: () => ({ cancel: () => undefined }) },
    } as unknown as Parts;
    await new Recovery(parts).start();
    expect([repairs, resumed]).toEqual([2, 1]);
  });
});
