/** A customer's application: REST calls with a key, and what its channel brings. */
import { createServer } from 'node:http';
import { WebSocket } from 'ws';

/** @typedef {{ atMs: number, text: string }} Message */

export class Application {
  /** @param {string} baseUrl @param {string} key @param {{ keyId: string, accountId: string }} [identity] */
  constructor(baseUrl, key, identity = { keyId: '', accountId: '' }) {
    this.baseUrl = baseUrl;
    this.key = key;
    this.identity = identity;
    /** @type {(message: Message) => void} */
    this.onMessage = () => undefined;
    /** @type {(() => void)[]} */
    this.closers = [];
  }

  /** @param {string} method @param {string} path @param {unknown} [body] */
  async call(method, path, body) {
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${this.key}`, accept: 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status >= 400) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  /** Opens its WebSocket channel. */
  async listen() {
    await this.call('PUT', '/v2/notification/websocket', {});
    const url = `${this.baseUrl.replace('http', 'ws')}/v2/notification/websocket-connect`;
    const socket = new WebSocket(url, ['wss', `service_${this.key}`]);
    socket.on('message', (data) => this.onMessage({ atMs: performance.now(), text: String(data) }));
    await new Promise((opened, failed) => socket.once('open', opened).once('error', failed));
    this.closers.push(() => socket.terminate());
  }

  /** Starts a server that answers 204 to everything, and registers it as callback. */
  async beCalled() {
    const server = createServer(async (request, response) => {
      /** @type {Buffer[]} */
      const parts = [];
      for await (const part of request) parts.push(part);
      const message = { atMs: performance.now(), text: Buffer.concat(parts).toString() };
      response.writeHead(204).end();
      this.onMessage(message);
    });
    await new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(undefined)));
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    await this.call('PUT', '/v2/notification/callback', { url: `http://127.0.0.1:${port}/` });
    this.closers.push(() => {
      server.closeAllConnections();
      server.close();
    });
  }

  close() {
    for (const close of this.closers.splice(0)) close();
  }
}

/** Numbers in the payloads of a message's notifications. @param {string} text @returns {number[]} */
export const numbersIn = (text) =>
  (JSON.parse(text).notifications ?? []).map((/** @type {{ payload: string }} */ n) =>
    Number(Buffer.from(n.payload, 'base64').toString()),
  );
