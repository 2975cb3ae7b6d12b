import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Peer, StreamSecurity } from '@lanyard/coap';
import type { Sender } from './sender.js';

/** An open connection, as its listener keeps it. */
export interface Connected {
  readonly peer: Peer;
  readonly sender: Sender;
}

export interface ConnectionAuthenticator {
  /** Pre-shared keys; without this function there are none. */
  keyOf?: StreamSecurity['keyOf'];
  /** The identity of the peer; undefined closes the connection. */
  authenticate(socket: Socket | TLSSocket): Sender | undefined;
  /** From here on the connection is closed when its access ends. */
  opened(connected: Connected): void;
  closed(connected: Connected): void;
  handshakeFailed(error: Error, socket: TLSSocket): void;
  /** Registers the function that closes the connection of a peer whose access has ended. */
  onDisconnect(close: (peer: Peer, why: string) => void): void;
}

/** Plain TCP, for development: devices are not authenticated. */
export const acceptAll = (accountId: string): ConnectionAuthenticator => ({
  authenticate: () => ({ accountId }),
  opened: () => undefined,
  closed: () => undefined,
  handshakeFailed: () => undefined,
  onDisconnect: () => undefined,
});
