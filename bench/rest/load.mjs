/** Requests over keep-alive connections, made beforehand: the client takes as little of the machine as it can. */
import { connect } from 'node:net';

/** @typedef {{ method: string, path: string, headers: Record<string, string>, body?: string }} Request */

/** @param {Request} request @param {string} host */
export const encode = ({ method, path, headers, body = '' }, host) => {
  const all = { host, ...headers, ...(method !== 'GET' && { 'content-length': String(Buffer.byteLength(body)) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
};

const headEnd = Buffer.from('\r\n\r\n');
const chunksEnd = Buffer.from('0\r\n\r\n');

/** One connection; one request at a time. */
export class Connection {
  /** @param {URL} url */
  constructor(url) {
    /** @type {Buffer} */
    this.received = Buffer.alloc(0);
    /** @type {((status: number) => void) | undefined} */
    this.answered = undefined;
    /** @type {((reason: Error) => void) | undefined} */
    this.failed = undefined;
    this.socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
    this.socket.on('data', (chunk) => this.take(chunk));
    this.socket.on('error', (error) => this.socket.destroy(error));
    this.socket.on('close', () => this.failed?.(new Error('the connection was closed before the answer')));
  }

  opened() {
    return new Promise((opened, failed) => this.socket.once('connect', opened).once('error', failed));
  }

  /** Resolves with the status when the whole answer is here. @param {Buffer} bytes @returns {Promise<number>} */
  ask(bytes) {
    return new Promise((answered, failed) => {
      this.answered = answered;
      this.failed = failed;
      if (this.socket.closed) failed(new Error('the connection was closed while nothing was asked'));
      this.socket.write(bytes);
    });
  }

  /** @param {Buffer} chunk */
  take(chunk) {
    const all = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk]);
    const end = all.indexOf(headEnd);
    if (end < 0 || !this.isWhole(all, end)) {
      this.received = all;
      return;
    }
    this.received = Buffer.alloc(0);
    this.answered?.(Number(all.toString('latin1', 9, 12)));
  }

  /** @param {Buffer} all @param {number} end */
  isWhole(all, end) {
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

/** @param {URL} url @param {number} count */
const connections = async (url, count) => {
  const all = Array.from({ length: count }, () => new Connection(url));
  await Promise.all(all.map((connection) => connection.opened()));
  return all;
};

/** @param {number} status @param {Buffer} bytes */
const mustSucceed = (status, bytes) => {
  if (status >= 300) throw new Error(`${status} for ${bytes.toString('latin1', 0, bytes.indexOf('\r'))}`);
};

/**
 * As many as there can be, one under way on each connection. `next` gives the bytes of each request.
 * @param {URL} url @param {() => Buffer} next @param {{ seconds: number, connections: number }} options
 */
export const saturate = async (url, next, options) => {
  const all = await connections(url, options.connections);
  /** @type {number[]} */
  const took = [];
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
  /** @param {URL} url @param {{ connections: number, perSecond: number }} options */
  static async open(url, { connections: count, perSecond }) {
    return new Steady(await connections(url, count), perSecond);
  }

  /** @param {Connection[]} all @param {number} perSecond */
  constructor(all, perSecond) {
    this.all = all;
    this.perSecond = perSecond;
  }

  /** What each request took, in ms. `next` gives the bytes of each. @param {() => Buffer} next @param {number} seconds */
  async run(next, seconds) {
    const free = [...this.all];
    /** @type {number[]} */
    const waiting = [];
    /** @type {number[]} */
    const took = [];
    /** @param {Connection} connection @param {number} dueAt */
    const serve = async (connection, dueAt) => {
      const bytes = next();
      mustSucceed(await connection.ask(bytes), bytes);
      took.push(performance.now() - dueAt);
      const due = waiting.shift();
      if (due === undefined) free.push(connection);
      else await serve(connection, due);
    };
    /** @type {Promise<void>[]} */
    const under = [];
    const startedAt = performance.now();
    for (let n = 0; n < seconds * this.perSecond; n++) {
      const dueAt = startedAt + (n * 1_000) / this.perSecond;
      const wait = dueAt - performance.now();
      if (wait > 0) await new Promise((done) => setTimeout(done, wait));
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
