import { isIP, SocketAddress } from 'node:net';
import { InvalidPeerAddress } from '../errors.js';

/** The other side of a conversation, identified by its key. A plain value: holding one costs no state. */
export interface Peer {
  /** Over UDP `ip32 * 65536 + port` for IPv4, `[address]:port` for IPv6; the id of a connection otherwise. */
  readonly key: string | number;
  /** Literal IP address. If connections of the transport survive a change of address, this is the address of the connection. */
  readonly address: string;
  /** 1 to 65535; 0 if the address is not an IP address. */
  readonly port: number;
  /**
   * `10.0.0.7:5683` or `[::1]:5683` (RFC 3986 §3.2); the key if the peer is a connection of a `DatagramTransport`.
   * It is computed once, because it is needed for each message.
   */
  readonly authority: string;
}

/** @throws InvalidPeerAddress when the address is not a literal IP or the port is out of range. */
export function peerOf(address: string, port: number): Peer {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new InvalidPeerAddress(`No port: ${port}`);
  const version = isIP(address);
  if (version === 0) throw new InvalidPeerAddress(`No literal IP address: ${address}`);
  const literal = version === 6 ? canonicalV6(address) : address;
  return peerAt(peerKey(literal, port), literal, port);
}

/** The peer at an address as the socket reports it, with its key. */
export function peerAt(key: Peer['key'], address: string, port: number): Peer {
  return { key, address, port, authority: typeof key === 'string' ? key : `${address}:${port}` };
}

/** Key of an address as the socket reports it, which is already canonical. */
export function peerKey(address: string, port: number): string | number {
  return address.includes(':') ? `[${address}]:${port}` : ipv4Number(address) * 65_536 + port;
}

function ipv4Number(address: string): number {
  let value = 0;
  let part = 0;
  for (let index = 0; index < address.length; index += 1) {
    const char = address.charCodeAt(index);
    if (char === 46) {
      value = value * 256 + part;
      part = 0;
    } else part = part * 10 + char - 48;
  }
  return value * 256 + part;
}

/** The socket reports `::1`, never `0:0::1`; a zone (`%eth0`) is kept as it is. */
function canonicalV6(address: string): string {
  const [host = '', zone] = address.split('%');
  const canonical = new SocketAddress({ address: host, family: 'ipv6' }).address;
  return zone === undefined ? canonical : `${canonical}%${zone}`;
}
