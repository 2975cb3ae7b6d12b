import type { Session } from '@lanyard/client/browser';
import type { QueryClient } from '@tanstack/react-query';

/** The session; null before the sign-in and after signing out; `ended` if it is over but the person did not sign out. */
export type SignedIn = Session | null | 'ended';

/** Begins with the name of the call, like the keys of all answers: a change names the calls that are read again. */
export const sessionKey = ['GET /v3/session'];

/**
 * Removes what was read in a session: the next person at the browser must not see it. The query of the session itself stays,
 * because what shows it would not notice another one in its place.
 */
export const removeAnswers = (client: QueryClient): void =>
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });

/** Whose session it is. */
export const holderOf = ({ account_id: account, subject }: Session): string => `${account} ${subject.id}`;

/**
 * Returns a session that was read. If it is another person's, who signed in from another tab, where the cookie is the
 * same, it first removes the answers to the person before.
 */
export const takeOver = (client: QueryClient, session: Session): Session => {
  const before = client.getQueryData<SignedIn>(sessionKey);
  const isSame = before && before !== 'ended' && holderOf(before) === holderOf(session);
  if (!isSame) removeAnswers(client);
  return session;
};

/** The state once the service does not know the session any more. */
export const withoutSession = (before: SignedIn | undefined): SignedIn => (before ? 'ended' : null);

const everyMs = 60_000;

/**
 * How often a page that stays visible asks whether the session is still valid; each one that becomes visible asks at once.
 * false: only then. The browser keeps the cookie of a session that has ended, and the audit would list each request with it as
 * refused.
 */
export const askEveryMs = (signedIn: SignedIn | undefined): number | false =>
  signedIn === null || signedIn === 'ended' ? false : everyMs;
