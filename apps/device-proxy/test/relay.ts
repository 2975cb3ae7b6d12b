import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';

/** Between devices and a replica: all devices have one address there, as behind a NAT that is careless with ports. */
export class Relay {
  /** Datagrams of the devices, in order. */
  readonly sent: Buffer[] = [];
  /** Which datagrams of the devices arrive. */
  passes: (datagram: Buffer) => boolean = () => true;
  private readonly devices = new Map<number, RemoteInfo>();

  private constructor(
    private readonly inside: Socket,
    private readonly outside: Socket,
    private readonly target: number,
  ) {
    inside.on('message', (datagram, from) => {
      this.devices.set(from.port, from);
      this.sent.push(datagram);
      if (this.passes(datagram)) this.inject(datagram);
    });
    outside.on('message', (datagram) => {
      for (const { port } of this.devices.values()) inside.send(datagram, port, '127.0.0.1');
    });
  }

  static async to(target: number): Promise<Relay> {
    const sockets = [createSocket('udp4'), createSocket('udp4')] as const;
    await Promise.all(sockets.map((socket) => once(socket.bind(0, '127.0.0.1'), 'listening')));
    return new Relay(...sockets, target);
  }

  get port(): number {
    return this.inside.address().port;
  }

  /** Sends a datagram as if a device had. */
  inject(datagram: Buffer): void {
    this.outside.send(datagram, this.target, '127.0.0.1');
  }

  async close(): Promise<void> {
    await Promise.all(
      [this.inside, this.outside].map((socket) => new Promise<void>((done) => socket.close(() => done()))),
    );
  }
}
