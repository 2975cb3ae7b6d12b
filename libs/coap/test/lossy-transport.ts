import {
  type BoundAddress,
  type DatagramReceiver,
  type DatagramTransport,
  type Peer,
  UdpSocket,
} from '../src/index.js';
import { peerKey } from '../src/messages/peer.js';

/** UDP that loses, repeats and delays datagrams, the same ones in each run. */
export class LossyTransport implements DatagramTransport {
  lost = 0;
  repeated = 0;
  delayed = 0;
  private receiver!: DatagramReceiver;
  private held: (() => void) | undefined;
  private readonly socket = new UdpSocket({
    host: '127.0.0.1',
    port: 0,
    receiveBufferBytes: undefined,
    onDatagram: (bytes, address, port) => this.receiver.receive(bytes, peerKey(address, port), address, port),
    onError: () => undefined,
  });

  constructor(private state: number) {}

  bind(receiver: DatagramReceiver): Promise<BoundAddress> {
    this.receiver = receiver;
    return this.socket.bind();
  }

  reaches(): boolean {
    return true;
  }

  send(bytes: Buffer, { address, port }: Peer): void {
    const leave = (): void => this.socket.send(bytes, address, port);
    const chance = this.next();
    if (chance < 5) this.lost += 1;
    else if (chance < 20) {
      this.delayed += 1;
      this.held = leave;
      return;
    } else {
      leave();
      if (chance < 35) {
        this.repeated += 1;
        leave();
      }
    }
    this.held?.();
    this.held = undefined;
  }

  close(): Promise<void> {
    return this.socket.close();
  }

  /** 0 to 99 (Numerical Recipes' linear congruential generator). */
  private next(): number {
    this.state = (Math.imul(this.state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.state / 2 ** 32) * 100);
  }
}
