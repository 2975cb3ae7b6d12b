import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { type BoundAddress } from '../state/datagram-transport.js';

export interface UdpSocketOptions {
  host: string;
  port: number;
  receiveBufferBytes: number | undefined;
  onDatagram(bytes: Buffer, address: string, port: number): void;
  onError(error: Error): void;
}

/** One UDP socket for literal addresses only. */
export class UdpSocket {
  private readonly socket: Socket;
  private state: 'new' | 'bound' | 'closed' = 'new';

  constructor(private readonly options: UdpSocketOptions) {
    const version = isIPv6(options.host) ? 6 : 4;
    this.socket = createSocket({
      type: version === 6 ? 'udp6' : 'udp4',
      ...(options.receiveBufferBytes === undefined ? {} : { recvBufferSize: options.receiveBufferBytes }),
      // Every address is literal, so the resolver is skipped for each datagram.
      lookup: (host, _options, done) => done(null, host, version),
    });
    this.socket.on('message', (bytes, from) => options.onDatagram(bytes, from.address, from.port));
  }

  /** Rejects when the address cannot be bound. */
  async bind(): Promise<BoundAddress> {
    await new Promise<void>((resolve, reject) => {
      this.socket.once('error', reject);
      this.socket.bind({ port: this.options.port, address: this.options.host }, () => {
        this.socket.off('error', reject);
        resolve();
      });
    });
    this.socket.on('error', this.options.onError);
    this.state = 'bound';
    const { address, port } = this.socket.address();
    return { address, port, receiveBufferBytes: this.socket.getRecvBufferSize() };
  }

  /** Never throws: failures are passed to `onError`, and a datagram may be lost anyway. */
  send(bytes: Buffer, address: string, port: number): void {
    if (this.state !== 'bound') return;
    try {
      this.socket.send(bytes, port, address);
    } catch (error) {
      this.options.onError(error as Error);
    }
  }

  async close(): Promise<void> {
    if (this.state === 'closed') return;
    this.state = 'closed';
    await new Promise<void>((resolve) => this.socket.close(() => resolve()));
  }
}
