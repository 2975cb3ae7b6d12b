import { isIPv6 } from 'node:net';

/**
 * The local address to bind when talking to `server`, which is a literal address. A server on another machine cannot answer
 * to loopback: the system then chooses the address by the destination.
 */
export const localHostFor = (server: string): string => {
  if (isIPv6(server)) return '::';
  return server.startsWith('127.') ? '127.0.0.1' : '0.0.0.0';
};

/** The URL of a CoAP server with this literal address in place of its host. */
export const withAddress = (url: string, address: string): string =>
  url.replace(/(?<=^coaps?:\/\/)[^:/]+/, isIPv6(address) ? `[${address}]` : address);
