import { type BoundAddress, type DatagramReceiver, type DatagramTransport } from '../state/datagram-transport.js';
import { type Peer, peerKey } from '../messages/peer.js';
import { UdpSocket, type UdpSocketOptions } from './udp-socket.js';

/** Plain UDP: a peer is a source address, and sending to it can always be tried. */
export class UdpTransport implements DatagramTransport {
  private readonly socket: UdpSocket;
  private receiver: DatagramReceiver | undefined;

  constructor(options: Pick<UdpSocketOptions, 'host' | 'port' | 'receiveBufferBytes'>) {
    this.socket = new UdpSocket({
      ...options,
      onDatagram: (bytes, address, port) => this.receive(bytes, address, port),
      onError: () => this.receiver?.count('socket-error'),
    });
  }

  bind(receiver: DatagramReceiver): Promise<BoundAddress> {
    this.receiver = receiver;
    return this.socket.bind();
  }

  reaches(): boolean {
    return true;
  }

  send(bytes: Buffer, { address, port }: Peer): void {
    this.socket.send(bytes, address, port);
  }

  close(): Promise<void> {
    return this.socket.close();
  }

  private receive(bytes: Buffer, address: string, port: number): void {
    // Port 0 cannot receive an answer; such a datagram is forged.
    if (port === 0) this.receiver?.count('datagram-malformed');
    else this.receiver?.receive(bytes, peerKey(address, port), address, port);
  }
}
