import { describe, expect, it } from '@jest/globals';
import { TestClock } from '@lanyard/testing';
import type { KeyReader, KnownKey } from './key-reader.js';
import { KnownKeys } from './known-keys.js';

const key = (hash: string): KnownKey => ({
  keyId: 'k',
  accountId: 'a',
  secrets: [{ hash }],
  active: true,
  accountActive: true,
  groups: [],
  permissions: [],
  limits: {},
  tier: 'free',
});

const readerOf = (read: KeyReader['read']): KeyReader => ({ read }) as Pick<KeyReader, 'read'> as KeyReader;

describe('known keys', () => {
  it('are honoured for five seconds from before the read', async () => {
    const clock = new TestClock();
    const known = new KnownKeys(
      readerOf(async () => {
        await clock.advance(1_000);
        return key('1');
      }),
      clock,
    );
    await known.load('k');
    await clock.advance(3_999);
    expect(known.last('k')).toEqual({ key: key('1'), isRecent: true });
    await clock.advance(1);
    expect(known.last('k')).toEqual({ key: key('1'), isRecent: false });
  });

  it('are read again when the clock is set back', async () => {
    const clock = new TestClock();
    const known = new KnownKeys(
      readerOf(async () => key('1')),
      clock,
    );
    await known.load('k');
    await clock.advance(-3_600_000);
    expect(known.last('k')).toEqual({ key: key('1'), isRecent: false });
    await known.load('k');
    expect(known.last('k')).toEqual({ key: key('1'), isRecent: true });
  });

  it('share one read, and do not remember one that began before a change', async () => {
    const answers: ((found: KnownKey) => void)[] = [];
    const known = new KnownKeys(
      readerOf(() => new Promise((resolve) => answers.push(resolve))),
      new TestClock(),
    );
    const [first, second] = [known.load('k'), known.load('k')];
    expect(answers).toHaveLength(1);
    known.invalidate('k');
    const third = known.load('k');
    answers[0]?.(key('old'));
    answers[1]?.(key('new'));
    expect((await Promise.all([first, second, third])).map((found) => found?.secrets[0]?.hash)).toEqual([
      'old',
      'old',
      'new',
    ]);
    expect(known.last('k')).toEqual({ key: key('new'), isRecent: true });
  });

  it('of a change remembers what was before, until it is read again', async () => {
    const found = [key('1'), key('2'), undefined];
    const known = new KnownKeys(
      readerOf(async () => found.shift()),
      new TestClock(),
    );
    await known.load('k');
    known.invalidate('k');
    expect(known.last('k')).toEqual({ key: key('1'), isRecent: false });
    await known.load('k');
    known.invalidateAccount('a');
    expect(known.last('k')).toEqual({ key: key('2'), isRecent: false });
    await known.load('k');
    expect(known.last('k')).toBeUndefined();
  });

  it('of other accounts stay known when an account changes', async () => {
    const known = new KnownKeys(
      readerOf(async (keyId) => ({ ...key('1'), keyId, accountId: `account of ${keyId}` })),
      new TestClock(),
    );
    for (const keyId of ['k', 'other']) await known.load(keyId);
    known.invalidateAccount('account of k');
    expect([known.last('k')?.isRecent, known.last('other')?.isRecent]).toEqual([false, true]);
  });

  it('does not remember what does not exist', async () => {
    let reads = 0;
    const known = new KnownKeys(
      readerOf(async () => void reads++ as undefined),
      new TestClock(),
    );
    await known.load('k');
    await known.load('k');
    expect([reads, known.last('k')]).toEqual([2, undefined]);
  });
});
