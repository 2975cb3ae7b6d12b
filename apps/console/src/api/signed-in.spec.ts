import { describe, expect, it } from '@jest/globals';
import type { Session } from '@lanyard/client/browser';
import { QueryClient } from '@tanstack/react-query';
import { askEveryMs, sessionKey, type SignedIn, takeOver, withoutSession } from './signed-in.ts';

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

it('reads the session again after a change that names its call', async () => {
  const client = new QueryClient();
  client.setQueryData<SignedIn>(sessionKey, session);
  await client.invalidateQueries({ queryKey: ['GET /v3/session'] });
  expect(client.getQueryState(sessionKey)?.isInvalidated).toBe(true);
  client.clear();
});

describe('a session that is read', () => {
  const sessionOf = (account: string, person: string) =>
    ({ object: 'session', account_id: account, subject: { id: person } }) as Session;
  const ada = sessionOf('meters', 'ada');
  const devices = ['GET /v3/devices', {}];

  /** What is left of an answer that was read before. */
  const leftBy = (before: SignedIn, read: Session): unknown => {
    const client = new QueryClient();
    client.setQueryData<SignedIn>(sessionKey, before);
    client.setQueryData(devices, 'a list');
    expect(takeOver(client, read)).toBe(read);
    const left = client.getQueryData(devices);
    // What shows the session would not notice another query in its place.
    expect(client.getQueryData(sessionKey)).toBe(before);
    client.clear();
    return left;
  };

  it('leaves what was read if it is of the same person, also if it may do something else now', () => {
    expect(leftBy(ada, { ...ada, permissions: [] })).toBe('a list');
  });

  const others: [whose: string, before: SignedIn, read: Session][] = [
    ['another person', ada, sessionOf('meters', 'bob')],
    ['another account', ada, sessionOf('pumps', 'ada')],
    ['a person who signed in after a session had ended', 'ended', ada],
    ['a person who signed in after another had signed out', null, ada],
  ];

  it.each(others)('removes what was read if it is of %s', (_, before, read) => {
    expect(leftBy(before, read)).toBeUndefined();
  });
});
