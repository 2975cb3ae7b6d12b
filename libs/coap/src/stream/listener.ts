import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, Server as TlsServer, type TLSSocket } from 'node:tls';
import { PeerRateLimiter } from '../peer/peer-rate-limiter.js';
import { type StreamCore } from './core.js';
import { type StreamSecurity } from './options.js';
import { serverTlsOptions } from './tls-options.js';

export interface BoundStreamAddress {
  address: string;
  port: number;
}

/** A source is tracked for this long after its first connection. */
const SOURCE_IDLE_MS = 60_000;

/** Accepts connections within the limits, which also count connections in a handshake. */
export class StreamListener {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private readonly perSource = new Map<string, number>();
  private readonly rateLimiter: PeerRateLimiter;

  constructor(
    private readonly core: StreamCore,
    accepted: (socket: Socket | TLSSocket) => void,
  ) {
    const { connectRatePerSecond, connectBurst, connectSourcesMax: entriesMax } = core.limits;
    const sources = core.table<string, never>({ entriesMax, idleMs: SOURCE_IDLE_MS });
    this.rateLimiter = new PeerRateLimiter(connectRatePerSecond, connectBurst, sources, core.clock);
    const { security } = core.options;
    if (security === undefined) this.server = createServer(accepted);
    else {
      const server = createTlsServer(serverTlsOptions(security, core), accepted);
      server.on('tlsClientError', (error, socket) => {
        core.count('handshake-failed');
        core.guarded(() => core.options.onHandshakeFailed?.(error, socket), undefined);
        socket.destroy();
      });
      this.server = server;
    }
    // Runs before TLS sees the socket.
    this.server.prependListener('connection', (socket: Socket) => this.admit(socket));
  }

  /** Applies to handshakes from now on. Throws when the private key belongs to another certificate, or the listener has no TLS. */
  replaceCertificate(certified: Required<Pick<StreamSecurity, 'certificate' | 'privateKey'>>): void {
    const { security } = this.core.options;
    if (security === undefined || !(this.server instanceof TlsServer)) throw new Error('the listener has no TLS');
    this.server.setSecureContext(serverTlsOptions({ ...security, ...certified }, this.core));
  }

  get size(): number {
    return this.sockets.size;
  }

  async listen(host: string, port: number): Promise<BoundStreamAddress> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ host, port }, () => {
        this.server.off('error', reject);
        resolve();
      });
    });
    this.server.on('error', (error) => this.core.report(error));
    const { address, port: bound } = this.server.address() as BoundStreamAddress;
    return { address, port: bound };
  }

  /** Stops accepting; existing connections stay. */
  stop(): void {
    this.server.close();
  }

  destroyAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private admit(socket: Socket): void {
    const { connectionsMax, connectionsPerAddressMax } = this.core.limits;
    const source = this.core.sourceOf(socket.remoteAddress ?? '');
    const count = this.perSource.get(source) ?? 0;
    socket.on('error', () => socket.destroy());
    const full = this.sockets.size >= connectionsMax || count >= connectionsPerAddressMax;
    if (this.core.closing || full || !this.rateLimiter.admits(source)) {
      this.core.count('connection-refused-by-limit');
      socket.destroy();
      return;
    }
    this.sockets.add(socket);
    this.perSource.set(source, count + 1);
    socket.once('close', () => this.forget(socket, source));
  }

  private forget(socket: Socket, source: string): void {
    this.sockets.delete(socket);
    const left = (this.perSource.get(source) ?? 1) - 1;
    if (left > 0) this.perSource.set(source, left);
    else this.perSource.delete(source);
  }
}
