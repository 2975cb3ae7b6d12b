/** Dispatchers alone on infrastructure of their own, and keys that the gateway would have announced. */
import { AccessKeys, encodeMessage } from '@lanyard/contracts';
import { formatApiKey, hashSecret, identityHeader, newId, newSecret, signIdentity } from '@lanyard/service';
import { WebSocket } from 'ws';
import { createServer, type Server } from 'node:http';
import type { BenchSystem } from '../system.ts';
import type { AddressInfo } from 'node:net';

export interface Arrival {
  atMs: number;
  body: Buffer;
  channel: number;
}

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
  system: BenchSystem;
  number: number;
  accountId: string;
  keyId = newId();
  secret: string;
  key: string;

  constructor(system: BenchSystem, number: number, accountId = newId()) {
    this.system = system;
    this.number = number;
    this.accountId = accountId;
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

  async call(method: string, path: string, body?: unknown, replica = 0) {
    const { accountId, keyId } = this;
    const identity = {
      accountId,
      keyId,
      groups: [],
      permissions: ['notifications'],
      tier: 'commercial' as const,
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

  async listen(onMessage: (arrival: Arrival) => void, serialization?: object, replica = 0) {
    await this.call('PUT', 'websocket', serialization && { serialization });
    const { url, protocols } = this.socketAddress(replica);
    const socket = new WebSocket(url, protocols, { perMessageDeflate: false });
    socket.on('message', (data) => onMessage({ atMs: performance.now(), body: data as Buffer, channel: this.number }));
    await new Promise((opened, failed) => socket.once('open', opened).once('error', failed));
    return socket;
  }
}

/** An HTTP server for many callbacks: `/n` is the channel of customer n. */
export class Receiver {
  onMessage: (arrival: Arrival) => void = () => undefined;
  /** How long it takes to answer. */
  answerAfterMs = 0;
  requests = 0;
  server?: Server;

  async start() {
    this.server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part) => parts.push(part));
      request.on('end', () => {
        this.requests++;
        const answer = () => response.writeHead(204).end();
        if (this.answerAfterMs > 0) setTimeout(answer, this.answerAfterMs);
        else answer();
        const body = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
        this.onMessage({ atMs: performance.now(), body, channel: Number(request.url?.slice(1)) });
      });
    });
    const { server } = this;
    server.keepAliveTimeout = 120_000;
    await new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(undefined)));
    return this;
  }

  url(channel: number) {
    const { port } = this.server?.address() as AddressInfo;
    return `http://127.0.0.1:${port}/${channel}`;
  }

  stop() {
    this.server?.closeAllConnections();
    this.server?.close();
  }
}

/** Keys that every dispatcher knows. */
export const customers = async (system: BenchSystem, count: number) => {
  const all = Array.from({ length: count }, (_, n) => new Customer(system, n));
  await Promise.all(all.map((customer) => customer.announce()));
  return all;
};

/** A message of any topic, for `sendEncoded`. */
export { encodeMessage };
