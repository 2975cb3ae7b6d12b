import type { IncomingHttpHeaders } from 'node:http';
import { cookieIn, setCookie } from '../authentication/cookies.js';
import type { Attempt } from './oidc-provider.js';

/** How long a person may take at the provider. */
const attemptSeconds = 600;

/** A path of the console, on this server: nothing that a browser could read as another host. */
const ownPath = /^\/console(\/[\w.~%-]+)*\/?(\?[\w.~%&=+-]*)?$/;
export const defaultPath = '/console';

/** Where the browser goes after a sign-in. Anything other than a page of the console becomes its start page. */
export const returnPath = (given: unknown): string =>
  typeof given === 'string' && ownPath.test(given) && !given.includes('..') ? given : defaultPath;

const attemptCookie = 'lanyard_oidc';

export type KeptAttempt = Attempt & { returnTo: string };

/** Lax: the provider's redirect is a navigation from another site. */
export const setAttemptCookie = (attempt: KeptAttempt | undefined, isSecure: boolean): string => {
  const value = attempt && Buffer.from(JSON.stringify(attempt)).toString('base64url');
  return setCookie(attemptCookie, value, { maxAgeSeconds: attemptSeconds, sameSite: 'Lax', isSecure });
};

/** The attempt that the browser began; undefined if it began none, or several hosts have set one. */
export const attemptOf = (headers: IncomingHttpHeaders, isSecure: boolean): KeptAttempt | undefined => {
  const value = cookieIn(headers, attemptCookie, isSecure);
  if (!value) return undefined;
  try {
    const kept = JSON.parse(Buffer.from(value, 'base64url').toString()) as Record<string, unknown> | null;
    const { state, nonce, verifier, returnTo } = kept ?? {};
    if (typeof state !== 'string' || typeof nonce !== 'string' || typeof verifier !== 'string') return undefined;
    return { state, nonce, verifier, returnTo: returnPath(returnTo) };
  } catch {
    return undefined;
  }
};
