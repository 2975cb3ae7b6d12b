import type { Attempt } from './oidc-provider.js';

/** How long a person may take at the provider. */
const attemptSeconds = 600;

/** A path of the console, on this server: nothing that a browser could read as another host. */
const ownPath = /^\/console(\/[\w.~%-]+)*\/?(\?[\w.~%&=+-]*)?$/;
export const defaultPath = '/console';

/** Where the browser goes after a sign-in. Anything else than a page of the console becomes its start. */
export const returnPath = (given: unknown): string =>
  typeof given === 'string' && ownPath.test(given) && !given.includes('..') ? given : defaultPath;

/** With `__Host-` no other host of the domain can plant it (RFC 6265bis §4.1.3.2); browsers take that over https only. */
const cookieName = (isSecure: boolean): string => (isSecure ? '__Host-lanyard_oidc' : 'lanyard_oidc');

export type KeptAttempt = Attempt & { returnTo: string };

/** Lax: the provider's redirect is a navigation from another site. */
export const setAttemptCookie = (attempt: KeptAttempt | undefined, isSecure: boolean): string =>
  [
    `${cookieName(isSecure)}=${attempt ? Buffer.from(JSON.stringify(attempt)).toString('base64url') : ''}`,
    'Path=/',
    `Max-Age=${attempt ? attemptSeconds : 0}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure ? ['Secure'] : []),
  ].join('; ');

/** The attempt that the browser began; undefined if it began none, or several hosts have set one. */
export const attemptOf = (header: string | undefined, isSecure: boolean): KeptAttempt | undefined => {
  const start = `${cookieName(isSecure)}=`;
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length));
  if (values.length !== 1) return undefined;
  try {
    const kept = JSON.parse(Buffer.from(values[0] as string, 'base64url').toString()) as Record<string, unknown> | null;
    const { state, nonce, verifier, returnTo } = kept ?? {};
    if (typeof state !== 'string' || typeof nonce !== 'string' || typeof verifier !== 'string') return undefined;
    return { state, nonce, verifier, returnTo: returnPath(returnTo) };
  } catch {
    return undefined;
  }
};
