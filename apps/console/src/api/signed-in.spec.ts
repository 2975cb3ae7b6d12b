import { expect, it } from '@jest/globals';
import type { Session } from '@lanyard/client/browser';
import { askEveryMs, withoutSession } from './signed-in.ts';

const session = { object: 'session' } as Session;

it('asks every minute who is signed in, while it is not known and while there is a session', () => {
  expect(askEveryMs(undefined)).toBe(60_000);
  expect(askEveryMs(session)).toBe(60_000);
});

it.each([session, 'ended', null, undefined] as const)(
  'does not ask again and again with the cookie of a session that is over: before it was %p',
  (before) => expect(askEveryMs(withoutSession(before))).toBe(false),
);

it('knows a session that has ended from none', () => {
  expect(withoutSession(session)).toBe('ended');
  expect(withoutSession('ended')).toBe('ended');
  expect(withoutSession(null)).toBeNull();
  expect(withoutSession(undefined)).toBeNull();
});
