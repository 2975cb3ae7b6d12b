import type { Address, DtlsConnection } from '@lanyard/dtls';
import type { SavedConnection } from './connection-store.js';

/** What the listener for DTLS offers to the code that moves connections between replicas. */
export interface DtlsHost {
  /** Takes a datagram as if it had come from there through the socket of the listener. */
  receive(datagram: Buffer, from: Address): void;
  /** Sends a datagram through the socket of the listener. */
  send(datagram: Buffer, to: Address): void;
  connection(id: string): DtlsConnection | undefined;
  /** Undefined when the connection is over. */
  save(id: string): SavedConnection | undefined;
  /** Continues the connection. False when its device may not connect any more. @throws InvalidState */
  restore(saved: SavedConnection, takeOvers: number): boolean;
  /** Another replica continues the connection: it ends here, and the device is not told. */
  lose(id: string): Promise<void>;
  /** How long the device may be silent. */
  keptMs(id: string): number;
  /** An authentic record of a connection that was taken over has arrived. */
  arrived(id: string): void;
}
