import { describe, expect, it } from '@jest/globals';
import type { CallbackTarget } from '../callback-client/callback-sender.js';
import type { Claim } from '../queue/channel-queue.js';
import { CallbackTargets } from './callback-targets.js';

/** What was sealed is the URL. */
const readableTargetOf = ({ target }: { target: string | null }): CallbackTarget | undefined =>
  target ? { url: target, headers: {} } : undefined;

const claimOf = (target: string): Claim => ({ revision: '1', target }) as Claim;

describe('the targets that a replica knows', () => {
  it('are bounded, and keep the one that a claim relies on while others are learnt', () => {
    const targets = new CallbackTargets({ readableTargetOf });
    const learn = (name: string, count: number): void => {
      for (let n = 0; n < count; n++) targets.targetOf(`${name}-${n}`, claimOf(`https://${name}-${n}.example`));
    };
    learn('claimed', 1);
    learn('other', 9_999);
    expect(targets.revisionOf('claimed-0')).toBe('1');
    learn('new', 500);
    expect(targets.targetOf('claimed-0', claimOf(''))?.url).toBe('https://claimed-0.example');
    expect(targets.revisionOf('other-0')).toBeUndefined();
    expect(targets.revisionOf('other-9998')).toBe('1');
  });
});
