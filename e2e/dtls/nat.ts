import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

const host = '127.0.0.1';

const bound = async (): Promise<Socket> => {
  const socket = createSocket('udp4');
  socket.bind(0, host);
  await once(socket, 'listening');
  return socket;
};

const closed = (socket: Socket): Promise<void> => new Promise((resolve) => socket.close(() => resolve()));

/** A NAT between one device and a server: the server sees the address of the NAT, which changes with `rebind`. */
export class Nat {
  private device: number | undefined;

  private constructor(
    private readonly inside: Socket,
    private outside: Socket,
    private readonly serverPort: number,
  ) {
    inside.on('message', (datagram, { port }) => {
      this.device = port;
      this.outside.send(datagram, this.serverPort, host);
    });
    this.returns();
  }

  static async start(serverPort: number): Promise<Nat> {
    return new Nat(await bound(), await bound(), serverPort);
  }

  /** The port that the device uses as that of the server. */
  get port(): number {
    return this.inside.address().port;
  }

  /** Uses another port from now on; datagrams to the previous one are lost. */
  async rebind(): Promise<void> {
    const former = this.outside;
    this.outside = await bound();
    this.returns();
    await closed(former);
  }

  async stop(): Promise<void> {
    await Promise.all([closed(this.inside), closed(this.outside)]);
  }

  private returns(): void {
    this.outside.on('message', (datagram) => {
      if (this.device !== undefined) this.inside.send(datagram, this.device, host);
    });
  }
}
