/** A customer's application: REST calls with a key, and what its channel brings. */
import { CallbackReceiver } from '@lanyard/testing';
import { WebSocket } from 'ws';

export interface Message {
  atMs: number;
  text: string;
}

export class Application {
  baseUrl: string;
  key: string;
  identity: { keyId: string; accountId: string };
  onMessage: (message: Message) => void = () => undefined;
  closers: (() => void)[] = [];

  constructor(
    baseUrl: string,
    key: string,
    identity: { keyId: string; accountId: string } = { keyId: '', accountId: '' },
  ) {
    this.baseUrl = baseUrl;
    this.key = key;
    this.identity = identity;
  }

  async call(method: string, path: string, body?: unknown) {
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
    const receiver = await new CallbackReceiver().start();
    receiver.onCall = ({ body }) => {
      const atMs = performance.now();
      receiver.calls.length = 0;
      this.onMessage({ atMs, text: body });
    };
    await this.call('PUT', '/v2/notification/callback', { url: receiver.url });
    this.closers.push(() => void receiver.stop());
  }

  close() {
    for (const close of this.closers.splice(0)) close();
  }
}

/** Numbers in the payloads of a message's notifications. */
export const numbersIn = (text: string): number[] =>
  (JSON.parse(text).notifications ?? []).map((n: { payload: string }) =>
    Number(Buffer.from(n.payload, 'base64').toString()),
  );
