import { type Peer } from '../messages/peer.js';

export interface BoundAddress {
  address: string;
  port: number;
  /** The size that the kernel granted. */
  receiveBufferBytes: number;
}

/** The side of the endpoint that a transport calls. None of its methods throws. */
export interface DatagramReceiver {
  /**
   * Receives a datagram. The key identifies the peer for as long as it has state, whatever its address is; limits per address
   * count the address of a new peer.
   */
  receive(bytes: Buffer, key: Peer['key'], address: string, port: number): void;
  /** The connection of the peer is over: everything that waits for it is rejected with NotConnected. */
  disconnected(key: Peer['key']): void;
  count(event: 'datagram-malformed' | 'socket-error'): void;
}

/** Carries datagrams, for example through a UDP socket, or through DTLS, where a peer is a connection. */
export interface DatagramTransport {
  /** Rejects when the address cannot be bound. */
  bind(receiver: DatagramReceiver): Promise<BoundAddress>;
  /** False when the connection of the peer is over. */
  reaches(peer: Peer): boolean;
  /** Never throws: a datagram may be lost anyway. */
  send(bytes: Buffer, peer: Peer): void;
  close(): Promise<void>;
}
