import type { Address, ConnectionState, DtlsConnection } from '@lanyard/dtls';
import type { ShownCredential } from './sender.js';

/** The state of a connection that another replica needs to continue it. */
export interface SavedConnection {
  state: ConnectionState;
  /** The credential that opened the connection, even if another credential has its identity by now. */
  credential: ShownCredential;
}

/** What the listener for DTLS offers to the code that moves connections between replicas. */
export interface DtlsHost {
  /** Processes a datagram as if it had come from this address through the socket of the listener. */
  receive(datagram: Buffer, from: Address): void;
  /** Sends a datagram through the socket of the listener. */
  send(datagram: Buffer, to: Address): void;
  connection(id: string): DtlsConnection | undefined;
  /** Undefined when the connection is over. */
  save(id: string): SavedConnection | undefined;
  hasRoomFor(from: Address): boolean;
  /**
   * Continues the connection. False when its device may no longer connect. `from`: where a record of the device has arrived, if
   * one has. @throws InvalidState, TooManyConnections
   */
  restore(saved: SavedConnection, takeOvers: number, from?: Address): boolean;
  /** Another replica continues the connection: it ends here, and the device is not told. */
  lose(id: string): Promise<void>;
  /** When the registration of the device expires; 0: there is none. */
  registeredUntilMs(id: string): number;
  /** An authentic record of a connection that was taken over has arrived. */
  arrived(id: string): void;
}

/** What the listener for DTLS calls so that its connections outlive this replica. */
export interface ConnectionSharing {
  /** All replicas use ids of this length, because the length is not on the wire. */
  readonly connectionIdBytes: number;
  newConnectionId(): Buffer;
  /** Called before the listener opens. */
  start(host: DtlsHost): Promise<void>;
  /** Called after the last record has been sent: from here on, other replicas continue the connections. */
  stop(): Promise<void>;
  /** Called when a handshake has succeeded. */
  opened(connection: DtlsConnection): void;
  closed(connection: DtlsConnection): void;
  /** Resolves when the connection outlives this replica; undefined when it already does, or never will. Rejects when Redis is away. */
  whenSaved(id: string): Promise<void> | undefined;
  /** Resolves when the connection is stored for as long as its device is registered; undefined when it already is. Never rejects. */
  whenStoredLongEnough(id: string): Promise<void> | undefined;
  /**
   * Continues a connection of a session that this replica had before it was restarted. Resolves with whether the connection
   * is here. Never rejects.
   */
  resume(id: string): Promise<boolean>;
  /** A record with a connection id that is not known here. The caller may reuse the buffers. */
  receiveUnknown(connectionId: Buffer, datagram: Buffer, from: Address): void;
  /** Whether the datagram may be processed now; otherwise it is delivered again if its connection is still this replica's. */
  admits(datagram: Buffer, from: Address): boolean;
  /** Whether this replica may send on the connection. CoAP retransmits what is lost. */
  maySend(id: string): boolean;
  /** Sends to a device whose datagrams arrive at another replica. False: the listener sends directly. */
  sendThroughAnother(datagram: Buffer, to: Address): boolean;
}
