import { type CallbackReceiver } from '@lanyard/testing';
import { WebSocket } from 'ws';
import { eventually } from './patience.js';

/** One item of a notification channel, with the array it came in. */
export interface Received {
  category: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the items of six categories, as a customer sees them
  item: any;
}

export interface Reply {
  status: number;
  text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a REST answer of any shape
  json: any;
}

const itemsOf = (message: Record<string, unknown[]>): Received[] =>
  Object.entries(message).flatMap(([category, items]) => items.map((item) => ({ category, item })));

const bodyOf = (body: unknown): string | Uint8Array<ArrayBuffer> => {
  if (Buffer.isBuffer(body)) return new Uint8Array(body);
  return typeof body === 'string' ? body : JSON.stringify(body);
};

/** A customer's application: one API key, REST calls, and what its channel brought. */
export class Application {
  private readonly fromSocket: Received[] = [];
  private socket: WebSocket | undefined;
  private receiver: CallbackReceiver | undefined;

  constructor(
    readonly baseUrl: string,
    readonly key: string,
  ) {}

  /** Another application, with a key of its own made by this one (an administrator). */
  async another(name: string): Promise<Application> {
    const { json } = await this.call('POST', '/v3/api-keys', { name });
    return new Application(this.baseUrl, json.key);
  }

  /** The same system with another key. */
  as(key: string): Application {
    return new Application(this.baseUrl, key);
  }

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${this.key}`, ...headers },
      ...(body !== undefined && { body: bodyOf(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      text,
      json: response.headers.get('content-type')?.includes('json') && text !== '' ? JSON.parse(text) : undefined,
    };
  }

  /** Registers the WebSocket channel and connects, as a browser would: the key among the subprotocols. */
  async connects(): Promise<void> {
    const { status } = await this.call('PUT', '/v2/notification/websocket', {});
    expect([200, 201]).toContain(status);
    await this.opensSocket();
  }

  async opensSocket(): Promise<void> {
    const url = `${this.baseUrl.replace('http', 'ws')}/v2/notification/websocket-connect`;
    const socket = new WebSocket(url, ['wss', `service_${this.key}`]);
    this.socket = socket;
    socket.on('message', (data) =>
      this.fromSocket.push(...itemsOf(JSON.parse(String(data)) as Record<string, unknown[]>)),
    );
    socket.on('error', () => undefined);
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
  }

  /** Registers a callback channel that leads to the receiver. */
  async isCalledBackAt(receiver: CallbackReceiver, serialization?: object): Promise<void> {
    const body = { url: receiver.url, headers: { 'x-application': 'e2e' }, ...(serialization && { serialization }) };
    const { status, text } = await this.call('PUT', '/v2/notification/callback', body);
    if (status !== 200) throw new Error(`callback not registered: ${status} ${text}`);
    this.receiver = receiver;
  }

  /** Keeps a socket open over restarts of the service, as clients are told to. */
  async staysConnected(): Promise<() => void> {
    let wanted = true;
    const keep = async (): Promise<void> => {
      while (wanted) {
        try {
          await this.opensSocket();
          await new Promise((resolve) => this.socket?.once('close', resolve));
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      }
    };
    await this.call('PUT', '/v2/notification/websocket', {});
    void keep();
    await eventually(() => this.socket?.readyState === WebSocket.OPEN);
    return () => {
      wanted = false;
      this.closes();
    };
  }

  closes(): void {
    this.socket?.close();
  }

  /** Everything its channel brought, in order. */
  get received(): Received[] {
    return [...this.fromSocket, ...(this.receiver?.messages ?? []).flatMap(itemsOf)];
  }

  items(category: string): Received['item'][] {
    return this.received.filter((r) => r.category === category).map((r) => r.item as unknown);
  }

  /** Waits for an item of a category that passes. */
  async receives(
    category: string,
    passes: (item: Received['item']) => boolean = () => true,
  ): Promise<Received['item']> {
    return eventually(() => {
      const found = this.items(category).find(passes);
      if (found === undefined)
        throw new Error(`no such item in ${category}; received: ${JSON.stringify(this.received.slice(-5))}`);
      return found as unknown;
    });
  }

  /** Decoded payload of the notifications of a path, in the order received. */
  values(path: string, deviceId?: string): string[] {
    return this.items('notifications')
      .filter((n) => n.path === path && (deviceId === undefined || n.ep === deviceId))
      .map((n) => Buffer.from(n.payload, 'base64').toString());
  }

  async answer(asyncId: string): Promise<{ status: number; payload: string; error?: string }> {
    const item = await this.receives('async-responses', (i) => i.id === asyncId);
    return { ...item, payload: Buffer.from(item.payload, 'base64').toString() };
  }

  async deviceId(endpointName: string): Promise<string> {
    return eventually(async () => {
      const { json } = await this.call('GET', `/v3/devices?endpoint_name=${encodeURIComponent(endpointName)}`);
      if (!json?.data?.[0]) throw new Error(`no device ${endpointName}: ${JSON.stringify(json)}`);
      return json.data[0].id as string;
    });
  }
}
