import { identityHeader, requestIdHeader } from '@lanyard/service';
import type { IncomingHttpHeaders } from 'node:http';
import type { Source } from '../authentication/client-address.js';

type Headers = Record<string, string | string[]>;

/** Hop-by-hop headers (RFC 9110 §7.6.1). `expect` is answered by this server itself. */
const hopByHop = new Set([
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const nothingElse = new Set<string>();

/** Headers that `Connection` lists are for this hop only. Almost all clients list only `keep-alive` or `close`. */
const listedIn = (connection: string | undefined): Set<string> =>
  connection === undefined || connection === 'keep-alive' || connection === 'close'
    ? nothingElse
    : new Set(connection.split(',').map((name) => name.trim().toLowerCase()));

const pick = (headers: IncomingHttpHeaders, leaveOut: (name: string) => boolean): Headers => {
  const forThisHop = listedIn(headers.connection);
  const kept: Headers = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && !hopByHop.has(name) && !forThisHop.has(name) && !leaveOut(name)) kept[name] = value;
  }
  return kept;
};

/** Headers that clients must not set: their identity and origin. */
const isReserved = (name: string): boolean =>
  name.startsWith('x-lanyard-') || name.startsWith('x-forwarded-') || name === 'forwarded' || name === requestIdHeader;

/** Headers that the gateway sets itself, or that belong to the connection with the upstream. */
const replaced = new Set(['authorization', 'content-length', 'cookie', 'host']);

const notForwarded = (name: string): boolean => replaced.has(name) || isReserved(name);

/** Headers of a forwarded request. The identity token replaces the API key. */
export const requestHeaders = (headers: IncomingHttpHeaders, token: string, from: Source): Headers => {
  const kept = pick(headers, notForwarded);
  kept[identityHeader] = token;
  kept[requestIdHeader] = from.requestId;
  kept['x-forwarded-for'] = from.address;
  return kept;
};

/** Headers of a download, whose caller has no identity. */
export const downloadHeaders = (headers: IncomingHttpHeaders, from: Source): Headers => ({
  ...pick(headers, notForwarded),
  [requestIdHeader]: from.requestId,
  'x-forwarded-for': from.address,
});

/** Headers of a handshake that is passed through: the dispatcher checks the key itself. */
export const handshakeHeaders = (headers: IncomingHttpHeaders, from: Source): Headers => ({
  ...pick(
    headers,
    (name) => isReserved(name) || ['content-length', 'cookie', 'host', 'traceparent', 'tracestate'].includes(name),
  ),
  [requestIdHeader]: from.requestId,
  'x-forwarded-for': from.address,
  connection: 'Upgrade',
  upgrade: 'websocket',
});

export const responseHeaders = (headers: IncomingHttpHeaders): Headers =>
  pick(headers, (name) => name.startsWith('x-lanyard-') || name === requestIdHeader);
