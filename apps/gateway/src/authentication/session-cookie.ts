import { createHash, randomBytes } from 'node:crypto';

export const sessionCookie = 'lanyard_session';

/** In front of a token that a program sends as a bearer. */
export const bearerPrefix = 'ls_';

const tokenBytes = 32;
const pattern = /^[A-Za-z0-9_-]{43}$/;

export const newSessionToken = (): string => randomBytes(tokenBytes).toString('base64url');

/** What is stored of a token. It is random, so a slow hash would add nothing. */
export const sessionIdOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** The token in a Cookie header. undefined: no session cookie. Text that is no token is returned as ''. */
export const sessionTokenOf = (header: string | undefined): string | undefined => {
  if (!header?.includes(sessionCookie)) return undefined;
  const values = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${sessionCookie}=`))
    .map((pair) => pair.slice(sessionCookie.length + 1));
  if (values.length === 0) return undefined;
  // Several mean that another host of the domain has set one: none can be trusted.
  return values.length === 1 && pattern.test(values[0] as string) ? values[0] : '';
};

/** The token of a program that signed in; undefined for an API key. */
export const sessionTokenOfBearer = (bearer: string | undefined): string | undefined => {
  if (!bearer?.startsWith(bearerPrefix)) return undefined;
  const token = bearer.slice(bearerPrefix.length);
  return pattern.test(token) ? token : '';
};

/** The Set-Cookie header. Strict: no page of another site can send it (RFC 6265bis §5.4). Without a token it is deleted. */
export const setSessionCookie = (token: string | undefined, maxAgeSeconds: number, isSecure: boolean): string =>
  [
    `${sessionCookie}=${token ?? ''}`,
    'Path=/',
    `Max-Age=${token === undefined ? 0 : maxAgeSeconds}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(isSecure ? ['Secure'] : []),
  ].join('; ');
