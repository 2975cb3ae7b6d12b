import type { Session } from '@lanyard/client/browser';

/** The session; null: before the sign-in and after signing out; `ended`: it is over without having been left. */
export type SignedIn = Session | null | 'ended';

/** What follows when the service knows the session no more. */
export const withoutSession = (before: SignedIn | undefined): SignedIn => (before ? 'ended' : null);

const everyMs = 60_000;

/**
 * How often a page in sight asks whether it is still so; false: only when it comes into sight. The browser keeps the cookie
 * of a session that has ended, and each request with it would be in the audit as one that was refused.
 */
export const askEveryMs = (signedIn: SignedIn | undefined): number | false =>
  signedIn === null || signedIn === 'ended' ? false : everyMs;
