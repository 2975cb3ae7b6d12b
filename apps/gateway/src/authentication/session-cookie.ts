import { createHash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { cookieIn, setCookie } from './cookies.js';
import { isHttps, type OriginConfig } from './origin.js';

const sessionCookie = 'lanyard_session';

/** In front of a token that a program sends as a bearer. */
export const bearerPrefix = 'ls_';

const tokenBytes = 32;
const pattern = /^[A-Za-z0-9_-]{43}$/;

export const newSessionToken = (): string => randomBytes(tokenBytes).toString('base64url');

/** What is stored of a token. It is random, so a slow hash would add nothing. */
export const sessionIdOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** The token in the cookie of a request. undefined: no session cookie. Text that is no token is returned as ''. */
export const sessionTokenOf = (headers: IncomingHttpHeaders, config: OriginConfig): string | undefined => {
  const value = cookieIn(headers, sessionCookie, isHttps(headers, config));
  return value === undefined || pattern.test(value) ? value : '';
};

/** The token of a program that signed in; undefined for an API key. */
export const sessionTokenOfBearer = (bearer: string | undefined): string | undefined => {
  if (!bearer?.startsWith(bearerPrefix)) return undefined;
  const token = bearer.slice(bearerPrefix.length);
  return pattern.test(token) ? token : '';
};

/** The Set-Cookie header. Strict: no page of another site can send it (RFC 6265bis §5.4). Without a token it is deleted. */
export const setSessionCookie = (token: string | undefined, maxAgeSeconds: number, isSecure: boolean): string =>
  setCookie(sessionCookie, token, { maxAgeSeconds, sameSite: 'Strict', isSecure });
