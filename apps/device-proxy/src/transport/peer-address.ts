import { type Peer, streamPeerOf } from '@lanyard/coap';

/**
 * The address of a device. Over UDP `127.0.0.1:5683` or `[::1]:5683`; over TCP and TLS its one connection, as
 * `coaps+tcp://127.0.0.1:40001#3af1`.
 */
export type Scheme = 'coap' | 'coap+tcp' | 'coaps+tcp';

export const parseAddress = (text: string): { host: string; port: number } => {
  const colon = text.lastIndexOf(':');
  return { host: text.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(text.slice(colon + 1)) };
};

export const connectionAddress = (scheme: Scheme, { key }: Peer): string => `${scheme}://${key}`;

export const connectionPeer = (address: string): Peer => streamPeerOf(address.slice(address.indexOf('://') + 3));

export const schemeOf = (address: string): Scheme => {
  const end = address.indexOf('://');
  return end < 0 ? 'coap' : (address.slice(0, end) as Scheme);
};

/** Such an address, and the observations of its device, end with the connection. */
export const isConnection = (address: string): boolean => schemeOf(address) !== 'coap';
