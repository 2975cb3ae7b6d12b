import { isIP } from 'node:net';
import { InvalidPeerAddress } from '../errors.js';
import { type Peer } from '../messages/peer.js';

/**
 * A peer over TCP or TLS is one connection: `10.0.0.7:40001#3af1`. The number after `#` is never used twice, so that a later
 * peer with the same port is not mistaken for an earlier one.
 */
export function streamPeer(address: string, port: number, connection: number): Peer {
  const host = address.includes(':') ? `[${address}]` : address;
  const authority = `${host}:${port}`;
  return { key: `${authority}#${connection.toString(16)}`, address, port, authority };
}

/** Reads the key of a stream peer. @throws InvalidPeerAddress */
export function streamPeerOf(key: string): Peer {
  const [, host = '', port = ''] = /^(.+):(\d{1,5})#[0-9a-f]+$/.exec(key) ?? [];
  const address = host.replace(/^\[|\]$/g, '');
  if (isIP(address) === 0) throw new InvalidPeerAddress(`No connection: ${key}`);
  return { key, address, port: Number(port), authority: `${host}:${port}` };
}
