/** A TCP proxy that breaks what passes through it. One for each replica and engine. */
import { sleep } from '../tools/lanyard/project.ts';
import net from 'node:net';

/** what happens to bytes on their way; `sliceBytes` 0: they are not cut into pieces */
interface Weather {
  latencyMs: number;
  stalled: boolean;
  sliceBytes: number;
  bytesPerSecond: number;
}

interface Trap {
  matches: (request: Buffer) => boolean;
  cut: () => void;
  armed: boolean;
  answered: boolean;
}

const fair = (): Weather => ({ latencyMs: 0, stalled: false, sliceBytes: 0, bytesPerSecond: 0 });

/** One direction of one connection: bytes pass in order, subject to the injected faults. */
class Lane {
  waiting: Buffer[] = [];
  moving = false;
  proxy: TcpProxy;
  target: net.Socket;

  constructor(proxy: TcpProxy, target: net.Socket) {
    this.proxy = proxy;
    this.target = target;
  }

  push(bytes: Buffer) {
    const { weather } = this.proxy;
    if (!this.moving && !weather.stalled && weather.latencyMs + weather.sliceBytes + weather.bytesPerSecond === 0) {
      this.target.write(bytes);
      return;
    }
    this.waiting.push(bytes);
    if (!this.moving) void this.move();
  }

  async move() {
    this.moving = true;
    for (let bytes = this.waiting.shift(); bytes; bytes = this.waiting.shift()) {
      const { latencyMs, bytesPerSecond } = this.proxy.weather;
      if (latencyMs > 0) await sleep(latencyMs);
      while (this.proxy.weather.stalled && !this.target.destroyed) await sleep(10);
      if (bytesPerSecond > 0) await sleep((1_000 * bytes.length) / bytesPerSecond);
      await this.write(bytes);
    }
    this.moving = false;
  }

  async write(bytes: Buffer) {
    const step = this.proxy.weather.sliceBytes || bytes.length;
    for (let at = 0; at < bytes.length && !this.target.destroyed; at += step) {
      this.target.write(bytes.subarray(at, at + step));
      if (step < bytes.length && at % (step * 64) === 0) await sleep(1);
    }
  }
}

export class TcpProxy {
  connections = new Set<{ client: net.Socket; server: net.Socket }>();
  weather = fair();
  isDown = false;
  port = 0;
  /** Cuts connections after this many bytes of answers more. */
  limitBytes = Infinity;
  trap: Trap | undefined;
  targetPort: number;
  server: net.Server;

  constructor(targetPort: number) {
    this.targetPort = targetPort;
    this.server = net.createServer((client) => this.accept(client));
  }

  async start() {
    await new Promise((listening) => this.server.listen(0, '127.0.0.1', () => listening(undefined)));
    this.port = (this.server.address() as net.AddressInfo).port;
    return this;
  }

  /** Refuses new connections and cuts existing ones. */
  down() {
    this.isDown = true;
    this.cutAll();
  }

  /** As if nothing was ever wrong. */
  heal() {
    this.isDown = false;
    this.weather = fair();
    this.limitBytes = Infinity;
    this.trap = undefined;
  }

  cutAll() {
    for (const { client, server } of this.connections) {
      client.resetAndDestroy();
      server.destroy();
    }
  }

  /**
   * Waits for a request that matches, and cuts its connection: before the engine has it, or after the engine did what
   * it says and before the answer is back. Resolves when that happened; false when it did not within the time.
   * @param first done before the cut
   */
  async spring(
    matches: (request: Buffer) => boolean,
    answered: boolean,
    first: () => void = () => undefined,
    withinMs = 1_500,
  ) {
    const happened = new Promise((done) => {
      const cut = () => {
        first();
        done(true);
      };
      this.trap = { matches, cut, armed: true, answered };
    });
    const inTime = await Promise.race([happened, sleep(withinMs).then(() => false)]);
    this.trap = undefined;
    return inTime === true;
  }

  stop() {
    this.cutAll();
    this.server.close();
  }

  accept(client: net.Socket): void {
    if (this.isDown) return void client.resetAndDestroy();
    const server = net.connect({ host: '127.0.0.1', port: this.targetPort, noDelay: true });
    client.setNoDelay(true);
    const pair = { client, server };
    this.connections.add(pair);
    const [there, back] = [new Lane(this, server), new Lane(this, client)];
    let sprung: Trap | undefined;
    const spring = (trap: Trap | undefined) => {
      trap?.cut();
      client.resetAndDestroy();
      server.destroy();
    };
    client.on('data', (bytes) => {
      const { trap } = this;
      if (trap?.armed && trap.matches(bytes)) {
        trap.armed = false;
        if (!trap.answered) return spring(trap);
        sprung = trap;
      }
      there.push(bytes);
    });
    server.on('data', (bytes) => {
      if (sprung) return spring(sprung);
      this.limitBytes -= bytes.length;
      if (this.limitBytes < 0) return spring(undefined);
      back.push(bytes);
    });
    const end = () => {
      this.connections.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on('error', end).on('close', end);
  }
}

/** Of a Kafka request: length, API, version, number, then the client id with its length. */
const clientIdOf = (request: Buffer) => request.toString('utf8', 14, 14 + Math.max(0, request.readInt16BE(12)));

/** In front of a listener for other brokers: knows who connects by the first request. */
export class PeerProxy extends TcpProxy {
  isRefused: (clientId: string) => boolean = () => false;
  clientIds = new Map<net.Socket, string>();

  /** From now on, and those that are connected. */
  refuse(isRefused: (clientId: string) => boolean) {
    this.isRefused = isRefused;
    for (const [client, clientId] of this.clientIds) if (isRefused(clientId)) client.resetAndDestroy();
  }

  override heal() {
    super.heal();
    this.isRefused = () => false;
  }

  override accept(client: net.Socket) {
    client.on('error', () => undefined).on('close', () => this.clientIds.delete(client));
    client.once('data', (first) => {
      const clientId = clientIdOf(first);
      if (this.isRefused(clientId)) return void client.resetAndDestroy();
      this.clientIds.set(client, clientId);
      client.pause();
      client.unshift(first);
      super.accept(client);
      client.resume();
    });
  }
}
