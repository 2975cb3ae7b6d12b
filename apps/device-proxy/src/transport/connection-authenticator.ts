import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Peer, StreamSecurity } from '@lanyard/coap';
import type { Sender } from './sender.js';

/** Decides who may connect. */
export interface ConnectionAuthenticator {
  /** Pre-shared keys; without it there are none. */
  keyOf?: StreamSecurity['keyOf'];
  /** Who the peer is; undefined closes the connection. */
  authenticate(peer: Peer, socket: Socket | TLSSocket): Sender | undefined;
  /** Its connection is over. */
  connectionClosed(peer: Peer): void;
  /** A handshake failed. */
  handshakeFailed(error: Error, socket: TLSSocket): void;
  /** Told once: how to close the connection of a peer that may not stay. */
  onDisconnect(out: (peer: Peer, why: string) => void): void;
}

/** Plain TCP, for development: everybody is whoever he says. */
export const acceptAll = (accountId: string): ConnectionAuthenticator => ({
  authenticate: () => ({ accountId }),
  connectionClosed: () => undefined,
  handshakeFailed: () => undefined,
  onDisconnect: () => undefined,
});
