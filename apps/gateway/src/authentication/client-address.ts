import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Some proxies add the port of the client: `192.0.2.1:50000`, `[2001:db8::1]:50000`. */
const withoutPort = (entry: string): string =>
  entry.replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1').replace(/^\[([\da-f:.]+)\](?::\d+)?$/i, '$1');

/**
 * The address of the client. `trustedProxies`: how many proxies in front append to X-Forwarded-For; anything left of
 * their entries was written by the client and is not trusted.
 */
export const clientAddress = (request: Pick<IncomingMessage, 'headers' | 'socket'>, trustedProxies: number): string => {
  const peer = request.socket.remoteAddress ?? 'unknown';
  if (trustedProxies === 0) return peer;
  const chain = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .flatMap((entry) => withoutPort(entry.trim()) || []);
  return chain.at(-trustedProxies) ?? chain[0] ?? peer;
};

/** Where a request came from: the address of the client, and the id of the request. */
export interface Source {
  address: string;
  requestId: string;
}

export const sourceOf = ({ raw, id }: FastifyRequest, trustedProxies: number): Source => ({
  address: clientAddress(raw, trustedProxies),
  requestId: id,
});

/**
 * The network by which a client is counted: the first four groups of an IPv6 address, because a client has a whole /64
 * (RFC 6177), or the IPv4 address, which may be given in IPv6 form.
 */
export const clientNetworkOf = (address: string): string => {
  const mapped = address.replace(/^::ffff:(?=\d+\.)/, '');
  if (!isIPv6(mapped)) return mapped;
  const [head = '', tail] = mapped.split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - rest.length);
  return [...groups, ...Array.from({ length: zeros }, () => '0'), ...rest].slice(0, 4).join(':');
};
