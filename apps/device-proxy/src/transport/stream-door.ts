import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Peer, StreamSecurity } from '@lanyard/coap';
import type { Sender } from './sender.js';

/** Decides who may connect. */
export interface StreamDoor {
  /** Pre-shared keys; without it there are none. */
  keyOf?: StreamSecurity['keyOf'];
  /** Who the peer is; undefined closes the connection. */
  enter(peer: Peer, socket: Socket | TLSSocket): Sender | undefined;
  /** Its connection is over. */
  left(peer: Peer): void;
  /** A handshake failed. */
  failed(error: Error, socket: TLSSocket): void;
  /** Told once: how to close the connection of a peer that may not stay. */
  onOut(out: (peer: Peer, why: string) => void): void;
}

/** Plain TCP, for development: everybody is whoever he says. */
export const openDoor = (accountId: string): StreamDoor => ({
  enter: () => ({ accountId }),
  left: () => undefined,
  failed: () => undefined,
  onOut: () => undefined,
});
