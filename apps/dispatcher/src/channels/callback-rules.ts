import { AddressForbidden, type AddressGuard } from '../callback-client/address-guard.js';
import type { CallbackTarget } from '../callback-client/callback-sender.js';
import { CallbackRefused } from '../errors.js';
import { callbackCharactersMax, callbackHeadersMax } from '../limits.js';

/** RFC 9110 §5.6.2. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** RFC 9110 §5.5 without obsolete text: what cannot end a header line. */
const printable = /^[\x20-\x7e]*$/;

/** Names that would change the request itself, or pretend to come from a proxy or a cloud's own network. */
const forbiddenName =
  /^(host|connection|upgrade|te|trailer|transfer-encoding|keep-alive|expect|cookie2|via|forwarded|accept-encoding|metadata-flavor|(content|proxy|x-forwarded|x-amz|x-goog|webhook|sec)-.*)$/i;

const refuseUrl = (token: string, message: string): CallbackRefused => new CallbackRefused(token, message, 'url');
const refuseHeaders = (message: string): CallbackRefused =>
  new CallbackRefused('CALLBACK_HEADERS_INVALID', message, 'headers');

const portAllowed = (port: string): boolean => port === '' || port === '80' || port === '443' || Number(port) >= 1_024;

const parseUrl = (text: string): URL => {
  try {
    return new URL(text);
  } catch {
    throw refuseUrl('CALLBACK_URL_INVALID', 'The URL is malformed.');
  }
};

const checkUrl = (text: string, guard: AddressGuard): void => {
  const url = parseUrl(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw refuseUrl('CALLBACK_URL_INVALID', 'The URL must start with https:// or http://.');
  if (url.username || url.password)
    throw refuseUrl('CALLBACK_URL_INVALID', 'The URL contains a user name: use a header instead.');
  if (!portAllowed(url.port)) throw refuseUrl('CALLBACK_URL_INVALID', 'The port must be 80, 443, or 1024 and above.');
  try {
    guard.checkHost(url.hostname);
  } catch (error) {
    if (error instanceof AddressForbidden)
      throw refuseUrl('CALLBACK_URL_FORBIDDEN', 'The URL must have a publicly reachable address.');
    throw error;
  }
};

const checkHeaders = (headers: Record<string, string>): void => {
  const entries = Object.entries(headers);
  if (entries.length > callbackHeadersMax) throw refuseHeaders(`At most ${callbackHeadersMax} headers.`);
  for (const [name, value] of entries) {
    if (!token.test(name)) throw refuseHeaders('A header name contains a character that is not allowed.');
    if (forbiddenName.test(name)) throw refuseHeaders(`The header ${name} is set by the service.`);
    if (!printable.test(value))
      throw refuseHeaders(`The value of ${name} contains a character that is not allowed in header values.`);
  }
};

const characters = ({ url, headers }: CallbackTarget): number =>
  Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, url.length);

/** Throws CallbackRefused, saying what is wrong. */
export const checkCallback = (target: CallbackTarget, guard: AddressGuard): void => {
  if (characters(target) > callbackCharactersMax)
    throw refuseUrl(
      'CALLBACK_TOO_LONG',
      `URL, header names and header values are longer than ${callbackCharactersMax} characters together.`,
    );
  checkUrl(target.url, guard);
  checkHeaders(target.headers);
};
