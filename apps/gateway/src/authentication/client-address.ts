import type { IncomingMessage } from 'node:http';

/**
 * The address of the client. `trustedProxies`: how many proxies in front append to X-Forwarded-For; anything left of
 * their entries was written by the client and is not trusted.
 */
export const clientAddress = (request: Pick<IncomingMessage, 'headers' | 'socket'>, trustedProxies: number): string => {
  const peer = request.socket.remoteAddress ?? 'unknown';
  if (trustedProxies === 0) return peer;
  const chain = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .flatMap((entry) => entry.trim() || []);
  return chain.at(-trustedProxies) ?? chain[0] ?? peer;
};
