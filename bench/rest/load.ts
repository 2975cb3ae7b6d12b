/** Requests over keep-alive connections, made beforehand: the client takes as little of the machine as it can. */
import { sleep } from '../../tools/lanyard/project.ts';
import { connect, type Socket } from 'node:net';

interface Request {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

export const encode = ({ method, path, headers, body = '' }: Request, host: string) => {
  const all = { host, ...headers, ...(method !== 'GET' && { 'content-length': String(Buffer.byteLength(body)) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
};

const headEnd = Buffer.from('\r\n\r\n');
const chunksEnd = Buffer.from('0\r\n\r\n');

/** One connection; one request at a time. */
export class Connection {
  received: Buffer = Buffer.alloc(0);
  answered: ((status: number) => void) | undefined = undefined;
  failed: ((reason: Error) => void) | undefined = undefined;
  socket: Socket;

  constructor(url: URL) {
    this.socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
    this.socket.on('data', (chunk) => this.take(chunk));
    this.socket.on('error', (error) => this.socket.destroy(error));
    this.socket.on('close', () => this.failed?.(new Error('the connection was closed before the answer')));
  }

  opened() {
    return new Promise((opened, failed) => this.socket.once('connect', opened).once('error', failed));
  }

  /** Resolves with the status when the whole answer is here. */
  ask(bytes: Buffer): Promise<number> {
    return new Promise((answered, failed) => {
      this.answered = answered;
      this.failed = failed;
      if (this.socket.closed) failed(new Error('the connection was closed while nothing was asked'));
      this.socket.write(bytes);
    });
  }

  take(chunk: Buffer) {
    const all = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk]);
    const end = all.indexOf(headEnd);
    if (end < 0 || !this.isWhole(all, end)) {
      this.received = all;
      return;
    }
    this.received = Buffer.alloc(0);
    this.answered?.(Number(all.toString('latin1', 9, 12)));
  }

  isWhole(all: Buffer, end: number) {
    const head = all.toString('latin1', 0, end);
    const length = /content-length: (\d+)/i.exec(head)?.[1];
    if (length !== undefined) return all.length >= end + 4 + Number(length);
    if (/transfer-encoding: chunked/i.test(head)) return all.subarray(-chunksEnd.length).equals(chunksEnd);
    return true;
  }

  close() {
    this.socket.destroy();
  }
}

const connections = async (url: URL, count: number) => {
  const all = Array.from({ length: count }, () => new Connection(url));
  await Promise.all(all.map((connection) => connection.opened()));
  return all;
};

const mustSucceed = (status: number, bytes: Buffer) => {
  if (status >= 300) throw new Error(`${status} for ${bytes.toString('latin1', 0, bytes.indexOf('\r'))}`);
};

/** As many as there can be, one under way on each connection. `next` gives the bytes of each request. */
export const saturate = async (url: URL, next: () => Buffer, options: { seconds: number; connections: number }) => {
  const all = await connections(url, options.connections);
  const took: number[] = [];
  const startedAt = performance.now();
  const endAt = startedAt + options.seconds * 1_000;
  await Promise.all(
    all.map(async (connection) => {
      for (let at = performance.now(); at < endAt; at = performance.now()) {
        const bytes = next();
        mustSucceed(await connection.ask(bytes), bytes);
        took.push(performance.now() - at);
      }
      connection.close();
    }),
  );
  return { took, perSecond: (took.length / (performance.now() - startedAt)) * 1_000 };
};

/**
 * Requests at so many a second, evenly, whether or not answers come: one that waits for a connection counts from when it was
 * due. Connections stay open from one run to the next.
 */
export class Steady {
  all: Connection[];
  perSecond: number;

  static async open(url: URL, { connections: count, perSecond }: { connections: number; perSecond: number }) {
    return new Steady(await connections(url, count), perSecond);
  }

  constructor(all: Connection[], perSecond: number) {
    this.all = all;
    this.perSecond = perSecond;
  }

  /** What each request took, in ms. `next` gives the bytes of each. */
  async run(next: () => Buffer, seconds: number) {
    const free = [...this.all];
    const waiting: number[] = [];
    const took: number[] = [];
    const serve = async (connection: Connection, dueAt: number) => {
      const bytes = next();
      mustSucceed(await connection.ask(bytes), bytes);
      took.push(performance.now() - dueAt);
      const due = waiting.shift();
      if (due === undefined) free.push(connection);
      else await serve(connection, due);
    };
    const under: Promise<void>[] = [];
    const startedAt = performance.now();
    for (let n = 0; n < seconds * this.perSecond; n++) {
      const dueAt = startedAt + (n * 1_000) / this.perSecond;
      const wait = dueAt - performance.now();
      if (wait > 0) await sleep(wait);
      // In turns: one that is not used for seconds is closed by the server.
      const connection = free.shift();
      if (connection === undefined) waiting.push(dueAt);
      else under.push(serve(connection, Math.max(dueAt, performance.now() - 1)));
    }
    await Promise.all(under);
    return took;
  }

  close() {
    for (const connection of this.all) connection.close();
  }
}
