import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A way to an engine that can break: refuse and cut, take connections and answer nothing, or answer late. The engine
 * itself, which other tests use, runs on.
 */
export class TcpLine {
  private readonly pairs = new Set<readonly [client: Socket, server: Socket]>();
  private readonly server: Server;
  private state: 'open' | 'refusing' | 'silent' = 'open';
  private delayMs = 0;
  private constructor(private readonly target: URL) {
    this.server = createServer((client) => this.accept(client));
  }

  /** `target`: a URL with host and port, as of PostgreSQL or Redis; or `host:port`. */
  static async open(target: string): Promise<TcpLine> {
    const line = new TcpLine(new URL(target.includes('://') ? target : `tcp://${target}`));
    line.server.listen(0, '127.0.0.1');
    await once(line.server, 'listening');
    return line;
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

  /** Connections are reset: those that are open, and each that is made from now on. */
  refuse(): void {
    this.state = 'refusing';
    this.cut();
  }

  /** Connections stay open and new ones are accepted; nothing passes. */
  swallow(): void {
    this.state = 'silent';
  }

  /** Each packet takes so long. */
  slow(delayMs: number): void {
    this.delayMs = delayMs;
  }

  /** Connections that lost bytes are reset. */
  heal(): void {
    if (this.state === 'silent') this.cut();
    this.state = 'open';
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

  private accept(client: Socket): void {
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
    server.on('data', (bytes) => this.pass(client, bytes));
  }

  private pass(to: Socket, bytes: Buffer): void {
    if (this.state === 'silent') return;
    if (this.delayMs === 0) to.write(bytes);
    else setTimeout(() => to.destroyed || to.write(bytes), this.delayMs);
  }
}
