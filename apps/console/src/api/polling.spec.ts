import { expect, it } from '@jest/globals';
import { pollMs } from './polling.ts';

const isFinal = (status: string): boolean => status === 'completed';

it('reads an answer again until it is final', () => {
  expect(pollMs(undefined, { everyMs: 1_000, isFinal })).toBe(1_000);
  expect(pollMs('processing', { everyMs: 1_000, isFinal })).toBe(1_000);
  expect(pollMs('completed', { everyMs: 1_000, isFinal })).toBe(false);
});

it('reads an answer again for ever if none is final, and not regularly unless it is told to', () => {
  expect(pollMs('completed', { everyMs: 1_000 })).toBe(1_000);
  expect(pollMs('processing', {})).toBe(false);
});
