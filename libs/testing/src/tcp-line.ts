import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Replaces the port of the broker in its answers by the port of the line, because Kafka clients connect to the advertised
 * address of a broker. The length of an answer stays the same. Passes on complete answers only.
 */
class BrokerAnswers {
  private rest = Buffer.alloc(0);
  private readonly brokerAddress: Buffer;
  private readonly lineAddress: Buffer;

  constructor({ hostname, port }: URL, linePort: number) {
    this.brokerAddress = BrokerAnswers.encoded(hostname, Number(port));
    this.lineAddress = BrokerAnswers.encoded(hostname, linePort);
  }

  /** In the encoding of the protocol: length and text of the host, then the port. */
  private static encoded(host: string, port: number): Buffer {
    const bytes = Buffer.alloc(2 + host.length + 4);
    bytes.writeInt16BE(host.length, 0);
    bytes.write(host, 2);
    bytes.writeInt32BE(port, 2 + host.length);
    return bytes;
  }

  rewrite(bytes: Buffer): Buffer {
    this.rest = Buffer.concat([this.rest, bytes]);
    let end = 0;
    while (this.rest.length >= end + 4 && this.rest.length >= end + 4 + this.rest.readInt32BE(end))
      end += 4 + this.rest.readInt32BE(end);
    const whole = this.rest.subarray(0, end);
    this.rest = this.rest.subarray(end);
    for (let at = whole.indexOf(this.brokerAddress); at >= 0; at = whole.indexOf(this.brokerAddress, at + 1))
      this.lineAddress.copy(whole, at);
    return whole;
  }
}

/** What happens to bytes in transit. `stalled`: they wait until that ends; `sliceBytes`: they arrive in pieces. */
export interface NetworkConditions {
  latencyMs?: number;
  stalled?: boolean;
  sliceBytes?: number;
  bytesPerSecond?: number;
}

/** One direction of one connection: bytes pass in order. */
class Lane {
  private waiting = 0;
  private last = Promise.resolve();

  constructor(
    private readonly line: TcpLine,
    private readonly target: Socket,
  ) {}

  push(bytes: Buffer): void {
    if (this.waiting === 0 && Object.keys(this.line.conditions).length === 0) return void this.target.write(bytes);
    this.waiting++;
    const arrivesAtMs = performance.now() + (this.line.conditions.latencyMs ?? 0);
    this.last = this.last.then(() => this.move(bytes, arrivesAtMs)).finally(() => this.waiting--);
  }

  private async move(bytes: Buffer, arrivesAtMs: number): Promise<void> {
    const { bytesPerSecond = Infinity } = this.line.conditions;
    const waitMs = Math.max(arrivesAtMs - performance.now(), (1_000 * bytes.length) / bytesPerSecond);
    if (waitMs > 0) await sleep(waitMs);
    while (this.line.conditions.stalled && !this.target.destroyed) await sleep(10);
    const step = this.line.conditions.sliceBytes ?? bytes.length;
    for (let at = 0; at < bytes.length && !this.target.destroyed; at += step) {
      this.target.write(bytes.subarray(at, at + step));
      if (step < bytes.length && at % (step * 64) === 0) await sleep(1);
    }
  }
}

interface Trap {
  matches: (request: Buffer) => boolean;
  /** Called just before the connection is cut. */
  onCut: () => void;
  afterAnswer: boolean;
}

/**
 * A TCP proxy that can fail: refuse and cut connections, accept them without answering, delay and slice data, or cut at a
 * certain request. The server itself, which other tests use, keeps running.
 */
export class TcpLine {
  /** Changes take effect at once. */
  conditions: NetworkConditions = {};
  private readonly pairs = new Set<readonly [client: Socket, server: Socket]>();
  private readonly server: Server;
  private state: 'open' | 'refusing' | 'silent' = 'open';
  private attempts = 0;
  private silentAfterBytes = Infinity;
  private cutAfterBytes = Infinity;
  private trap: Trap | undefined;

  protected constructor(
    private readonly target: URL,
    private readonly isKafka = false,
  ) {
    this.server = createServer((client) => this.accept(client));
  }

  /** `target`: a URL with host and port, as for PostgreSQL or Redis; or `host:port`. */
  static async open(target: string): Promise<TcpLine> {
    return new TcpLine(new URL(target.includes('://') ? target : `tcp://${target}`)).listening();
  }

  /** To the broker at `host:port`, the only one of its cluster; its advertised address is replaced by the proxy's. */
  static async toKafka(broker: string): Promise<TcpLine> {
    return new TcpLine(new URL(`tcp://${broker}`), true).listening();
  }

  /** `host:port`. */
  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The target's URL, with the address of the proxy. */
  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  /** How many connections clients have attempted, including refused ones. */
  get connectionAttempts(): number {
    return this.attempts;
  }

  /** Resets all open connections, and each new one from now on. */
  refuse(): void {
    this.state = 'refusing';
    this.cut();
  }

  /** Open connections stay and new ones are accepted, but no data passes. */
  swallow(): void {
    this.state = 'silent';
  }

  /** Does what `swallow` does, once the server has answered more than this many bytes from now on. */
  swallowAfter(bytes: number): void {
    this.silentAfterBytes = bytes;
  }

  /** Cuts the connection on which the answers from now on exceed this many bytes, and every later one. */
  cutAfter(bytes: number): void {
    this.cutAfterBytes = bytes;
  }

  /**
   * Waits for a request that matches, and cuts its connection: before the server receives it, or after the server carried it
   * out and before the answer is back. Resolves with whether that happened in time.
   * @param first called before the cut
   */
  async cutAt(
    matches: (request: Buffer) => boolean,
    { afterAnswer, first, withinMs = 1_500 }: { afterAnswer: boolean; first?: () => void; withinMs?: number },
  ): Promise<boolean> {
    const happened = new Promise<boolean>((done) => {
      const onCut = (): void => {
        first?.();
        done(true);
      };
      this.trap = { matches, onCut, afterAnswer };
    });
    const inTime = await Promise.race([happened, sleep(withinMs, false)]);
    this.trap = undefined;
    return inTime;
  }

  /** Ends all faults. Connections that lost bytes are reset. */
  heal(): void {
    if (this.state === 'silent') this.cut();
    this.state = 'open';
    this.conditions = {};
    this.silentAfterBytes = this.cutAfterBytes = Infinity;
    this.trap = undefined;
  }

  /** Resets all open connections. */
  cut(): void {
    for (const [client, server] of this.pairs) {
      client.resetAndDestroy();
      server.destroy();
    }
  }

  close(): void {
    this.server.close();
    this.cut();
  }

  protected async listening(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  protected accept(client: Socket): void {
    this.attempts++;
    if (this.state === 'refusing') return void client.resetAndDestroy();
    const server = connect({ host: this.target.hostname, port: Number(this.target.port), noDelay: true });
    client.setNoDelay(true);
    const pair = [client, server] as const;
    this.pairs.add(pair);
    const end = (): void => {
      this.pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    const [toServer, toClient] = [new Lane(this, server), new Lane(this, client)];
    const cut = (trap?: Trap): void => {
      trap?.onCut();
      client.resetAndDestroy();
      server.destroy();
    };
    let cutAtAnswer: Trap | undefined;
    client.on('data', (bytes) => {
      const { trap } = this;
      if (trap?.matches(bytes)) {
        this.trap = undefined;
        if (!trap.afterAnswer) return cut(trap);
        cutAtAnswer = trap;
      }
      if (this.state !== 'silent') toServer.push(bytes);
    });
    const answers = this.isKafka ? new BrokerAnswers(this.target, this.port) : undefined;
    server.on('data', (bytes) => {
      this.silentAfterBytes -= bytes.length;
      this.cutAfterBytes -= bytes.length;
      if (cutAtAnswer || this.cutAfterBytes < 0) return cut(cutAtAnswer);
      if (this.silentAfterBytes < 0) this.swallow();
      if (this.state !== 'silent') toClient.push(answers?.rewrite(bytes) ?? bytes);
    });
  }
}
