/**
 * A UDP load balancer in front of replicas: each client has one path to one of them, and may be moved to another. Any replica
 * that answers on that path reaches the client.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { Random } from './random.ts';

/** `socket`: sends for the client; `port`: of the replica */
interface Path {
  socket: Socket;
  port: number;
}

/** Conditions for each datagram, in both directions: probabilities, and the delay of each copy. Unequal delays reorder. */
export interface Conditions {
  loss: number;
  duplication: number;
  delayMs: readonly [min: number, max: number];
}

const host = '127.0.0.1';
/** Many devices send at once, as to the listener itself. */
const recvBufferSize = 4 * 1024 * 1024;

export class UdpBalancer {
  /** Ports of the replicas. */
  ports: number[];
  front = createSocket({ type: 'udp4', recvBufferSize });
  /** By `address:port` of the client, in the order in which clients were seen first. */
  paths = new Map<string, Path>();
  port = 0;
  /** The number of the replica for a client, by the number of the client. */
  next: (client: number) => number;
  /** Undefined: a perfect network. */
  conditions: Conditions | undefined;
  random = new Random(1);
  stopped = false;

  constructor(ports: number[]) {
    this.ports = ports;
    this.next = (client) => client % ports.length;
  }

  async start() {
    this.front.on('message', (datagram, from) => this.send(datagram, from.address, from.port));
    this.front.bind(0, host);
    await once(this.front, 'listening');
    this.port = this.front.address().port;
    return this;
  }

  /** @param choose The number of a replica for the client with this number; used for later clients too. */
  route(choose: (client: number) => number) {
    this.next = choose;
    [...this.paths.values()].forEach((path, n) => (path.port = this.ports[choose(n)] ?? 0));
  }

  /** As a NAT that forgets its clients: each has another address from its next datagram on. */
  rebind() {
    for (const { socket } of this.paths.values()) socket.close();
    this.paths.clear();
  }

  send(datagram: Buffer, address: string, port: number) {
    const key = `${address}:${port}`;
    const path = this.paths.get(key) ?? this.open(key, address, port);
    this.carry(() => path.socket.send(datagram, path.port, host));
  }

  open(key: string, address: string, port: number): Path {
    const socket = createSocket('udp4');
    // The replica is dead; the client will retransmit.
    socket.on('error', () => undefined);
    socket.on('message', (datagram) => this.carry(() => this.front.send(datagram, port, address)));
    const path = { socket, port: this.ports[this.next(this.paths.size)] ?? 0 };
    this.paths.set(key, path);
    return path;
  }

  /** Sends under `conditions`: not at all, later, or twice. */
  carry(send: () => void) {
    const { conditions, random } = this;
    if (!conditions) return send();
    const [min, max] = conditions.delayMs;
    const copies = random.chance(conditions.loss) ? 0 : random.chance(conditions.duplication) ? 2 : 1;
    for (let copy = 0; copy < copies; copy++)
      setTimeout(
        () => {
          if (!this.stopped) send();
        },
        random.int(min, max),
      );
  }

  stop() {
    this.stopped = true;
    this.front.close();
    this.rebind();
  }
}
