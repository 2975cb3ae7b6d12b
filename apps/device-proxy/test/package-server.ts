import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Opened {
  deviceId: string;
  body: Buffer;
}

/** `GET` and `HEAD /downloads/{ticket}` as campaigns answers them. */
export class PackageServer {
  /** What was asked, as `HEAD` or the range. */
  readonly asked: string[] = [];
  /** Instead of an answer: this status. */
  status: number | undefined;
  /** Before each answer. */
  before: () => Promise<void> = () => Promise.resolve();
  private readonly tickets = new Map<string, Opened>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<PackageServer> {
    const server = createServer();
    const packages = new PackageServer(server);
    server.on('request', (request, response) => void packages.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return packages;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  open(ticket: string, deviceId: string, body: Buffer): void {
    this.tickets.set(ticket, { deviceId, body });
  }

  end(ticket: string): void {
    this.tickets.delete(ticket);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer({ method, url = '', headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    this.asked.push(method === 'HEAD' ? 'HEAD' : (headers.range ?? 'whole'));
    await this.before();
    const opened = this.tickets.get(url.replace('/downloads/', ''));
    if (this.status !== undefined || !opened) {
      response.writeHead(this.status ?? 404).end();
      return;
    }
    const { deviceId, body } = opened;
    const etag = `"${createHash('sha256').update(body).digest('hex')}"`;
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    const part = first === undefined ? body : body.subarray(Number(first), Number(last) + 1);
    response.writeHead(first === undefined ? 200 : 206, {
      etag,
      'x-lanyard-device': deviceId,
      'accept-ranges': 'bytes',
      'content-length': part.length,
      ...(first !== undefined && { 'content-range': `bytes ${first}-${last}/${body.length}` }),
    });
    response.end(method === 'HEAD' ? undefined : part);
  }
}
