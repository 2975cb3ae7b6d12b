import type { IncomingHttpHeaders } from 'node:http';

/** With `__Host-` no other host of the domain can set the cookie (RFC 6265bis §4.1.3.2); browsers accept that over https only. */
const nameOf = (name: string, isSecure: boolean): string => (isSecure ? `__Host-${name}` : name);

/** The value of a cookie. undefined: there is none; '': several hosts of the domain have set one, and none can be trusted. */
export const cookieIn = ({ cookie }: IncomingHttpHeaders, name: string, isSecure: boolean): string | undefined => {
  const start = `${nameOf(name, isSecure)}=`;
  if (!cookie?.includes(start)) return undefined;
  const values = cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length));
  return values.length > 1 ? '' : values[0];
};

export interface CookieSettings {
  maxAgeSeconds: number;
  sameSite: 'Strict' | 'Lax';
  isSecure: boolean;
}

/** The Set-Cookie header of a cookie that no script reads. Without a value it is deleted. */
export const setCookie = (
  name: string,
  value: string | undefined,
  { maxAgeSeconds, sameSite, isSecure }: CookieSettings,
): string =>
  [
    `${nameOf(name, isSecure)}=${value ?? ''}`,
    'Path=/',
    `Max-Age=${value === undefined ? 0 : maxAgeSeconds}`,
    'HttpOnly',
    `SameSite=${sameSite}`,
    ...(isSecure ? ['Secure'] : []),
  ].join('; ');
