import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Kafka clients connect to the advertised address of a broker. The responses name it as `address:port`, so a port of the
 * line in the place of the broker's own leaves their length as it is. Takes whole answers only.
 */
class BrokerAnswers {
  private rest = Buffer.alloc(0);
  private readonly own: Buffer;
  private readonly ours: Buffer;

  constructor({ hostname, port }: URL, linePort: number) {
    this.own = BrokerAnswers.written(hostname, Number(port));
    this.ours = BrokerAnswers.written(hostname, linePort);
  }

  /** As the protocol writes it: length and text of the host, then the port. */
  private static written(host: string, port: number): Buffer {
    const bytes = Buffer.alloc(2 + host.length + 4);
    bytes.writeInt16BE(host.length, 0);
    bytes.write(host, 2);
    bytes.writeInt32BE(port, 2 + host.length);
    return bytes;
  }

  take(bytes: Buffer): Buffer {
    this.rest = Buffer.concat([this.rest, bytes]);
    let end = 0;
    while (this.rest.length >= end + 4 && this.rest.length >= end + 4 + this.rest.readInt32BE(end))
      end += 4 + this.rest.readInt32BE(end);
    const whole = this.rest.subarray(0, end);
    this.rest = this.rest.subarray(end);
    for (let at = whole.indexOf(this.own); at >= 0; at = whole.indexOf(this.own, at + 1)) this.ours.copy(whole, at);
    return whole;
  }
}

/**
 * A TCP proxy that can fail: refuse and cut, accept connections without answering, or answer late. The server
 * itself, which other tests use, runs on.
 */
export class TcpLine {
  private readonly pairs = new Set<readonly [client: Socket, server: Socket]>();
  private readonly server: Server;
  private state: 'open' | 'refusing' | 'silent' = 'open';
  private delayMs = 0;
  private connectionsAsked = 0;
  private answersLeftBytes = Infinity;

  private constructor(
    private readonly target: URL,
    private readonly isKafka = false,
  ) {
    this.server = createServer((client) => this.accept(client));
  }

  /** `target`: a URL with host and port, as of PostgreSQL or Redis; or `host:port`. */
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

  /** The target's URL, by this way. */
  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  /** How many connections were asked for, refused ones included. */
  get asked(): number {
    return this.connectionsAsked;
  }

  /** Connections are reset: those that are open, and each that is made from now on. */
  refuse(): void {
    this.state = 'refusing';
    this.cut();
  }

  /** Connections stay open and new ones are accepted; nothing passes. */
  swallow(): void {
    this.state = 'silent';
  }

  /** As `swallow`, when the engine has answered so much from now on. */
  swallowAfter(bytes: number): void {
    this.answersLeftBytes = bytes;
  }

  /** Each packet takes so long. */
  slow(delayMs: number): void {
    this.delayMs = delayMs;
  }

  /** Connections that lost bytes are reset. */
  heal(): void {
    if (this.state === 'silent') this.cut();
    this.state = 'open';
    this.answersLeftBytes = Infinity;
    this.delayMs = 0;
  }

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

  private async listening(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  private accept(client: Socket): void {
    this.connectionsAsked++;
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
    client.on('data', (bytes) => this.pass(server, bytes));
    const answers = this.isKafka ? new BrokerAnswers(this.target, this.port) : undefined;
    server.on('data', (bytes) => {
      this.answersLeftBytes -= bytes.length;
      if (this.answersLeftBytes < 0) this.swallow();
      this.pass(client, answers?.take(bytes) ?? bytes);
    });
  }

  private pass(to: Socket, bytes: Buffer): void {
    if (this.state === 'silent') return;
    if (this.delayMs === 0) to.write(bytes);
    else setTimeout(() => to.destroyed || to.write(bytes), this.delayMs);
  }
}
