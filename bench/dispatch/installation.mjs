/** Dispatchers alone on engines of their own, and keys that the gateway would have announced. */
import { AccessKeys, encodeMessage } from '@lanyard/contracts';
import { formatApiKey, hashSecret, identityHeader, newId, newSecret, signIdentity } from '@lanyard/service';
import { WebSocket } from 'ws';
import { createServer } from 'node:http';

/** @typedef {{ atMs: number, body: Buffer, channel: number }} Arrival */

/** Of `system`: none but dispatchers. */
export const dispatchersOnly = (replicas = 1) => ({
  gateway: 0,
  registry: 0,
  'device-proxy': 0,
  snapshot: 0,
  'event-log': 0,
  dispatcher: replicas,
});

/** A key and what it does with its channel, at a dispatcher's own address. */
export class Customer {
  /** @param {import('../system.mjs').System} system @param {number} number */
  constructor(system, number, accountId = newId()) {
    this.system = system;
    this.number = number;
    this.accountId = accountId;
    this.keyId = newId();
    this.secret = newSecret(accountId, this.keyId);
    this.key = formatApiKey({ accountId, keyId: this.keyId, secret: this.secret });
  }

  announce() {
    const { keyId, accountId } = this;
    return this.system.producer.send(AccessKeys, {
      keyId,
      accountId,
      hash: hashSecret(this.secret),
      groups: [],
      permissions: ['notifications'],
      tier: 'commercial',
      status: 'active',
      revision: 1,
      changedAt: new Date().toISOString(),
    });
  }

  /** @param {string} method @param {string} path @param {unknown} [body] */
  async call(method, path, body, replica = 0) {
    const { accountId, keyId } = this;
    const identity = {
      accountId,
      keyId,
      groups: [],
      permissions: ['notifications'],
      tier: /** @type {const} */ ('commercial'),
      requestId: newId(),
    };
    const response = await fetch(`${this.system.dispatcherUrl(replica)}/v2/notification/${path}`, {
      method,
      headers: { [identityHeader]: signIdentity(identity, 'dispatcher', this.system.identityKey, Date.now()) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status >= 400) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text.startsWith('{') ? JSON.parse(text) : undefined;
  }

  /** Where its WebSocket is, and what to say there. */
  socketAddress(replica = 0) {
    const url = `${this.system.dispatcherUrl(replica).replace('http', 'ws')}/v2/notification/websocket-connect`;
    return { url, protocols: ['wss', `service_${this.key}`] };
  }

  /** @param {(arrival: Arrival) => void} onMessage @param {object} [serialization] */
  async listen(onMessage, serialization, replica = 0) {
    await this.call('PUT', 'websocket', serialization && { serialization });
    const { url, protocols } = this.socketAddress(replica);
    const socket = new WebSocket(url, protocols, { perMessageDeflate: false });
    socket.on('message', (data) =>
      onMessage({ atMs: performance.now(), body: /** @type {Buffer} */ (data), channel: this.number }),
    );
    await new Promise((opened, failed) => socket.once('open', opened).once('error', failed));
    return socket;
  }
}

/** An HTTP server for many callbacks: `/n` is the channel of customer n. */
export class Receiver {
  /** @type {(arrival: Arrival) => void} */
  onMessage = () => undefined;
  /** How long it takes to answer. */
  answerAfterMs = 0;
  requests = 0;

  async start() {
    this.server = createServer((request, response) => {
      /** @type {Buffer[]} */
      const parts = [];
      request.on('data', (part) => parts.push(part));
      request.on('end', () => {
        this.requests++;
        const answer = () => response.writeHead(204).end();
        if (this.answerAfterMs > 0) setTimeout(answer, this.answerAfterMs);
        else answer();
        const body = parts.length === 1 ? /** @type {Buffer} */ (parts[0]) : Buffer.concat(parts);
        this.onMessage({ atMs: performance.now(), body, channel: Number(request.url?.slice(1)) });
      });
    });
    const { server } = this;
    server.keepAliveTimeout = 120_000;
    await new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(undefined)));
    return this;
  }

  /** @param {number} channel */
  url(channel) {
    const { port } = /** @type {import('node:net').AddressInfo} */ (this.server?.address());
    return `http://127.0.0.1:${port}/${channel}`;
  }

  stop() {
    this.server?.closeAllConnections();
    this.server?.close();
  }
}

/** Keys that every dispatcher knows. @param {import('../system.mjs').System} system @param {number} count */
export const customers = async (system, count) => {
  const all = Array.from({ length: count }, (_, n) => new Customer(system, n));
  await Promise.all(all.map((customer) => customer.announce()));
  return all;
};

/** A message of any topic, for `sendEncoded`. */
export { encodeMessage };
