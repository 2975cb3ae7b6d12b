import { type Channel, type ChannelOptions, Lanyard } from '@lanyard/client';
import { type CallbackReceiver, eventually } from '@lanyard/testing';
import type { RunningSystem } from './system.ts';

/** A system, and an application with its first key, which several groups of tests share. */
export interface Running {
  system: RunningSystem;
  app: Application;
}

/** One item of a notification channel, with the name of its array. */
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

/** A customer's application: one API key, REST calls, and the items that its channel received. */
export class Application {
  private readonly fromSocket: Received[] = [];
  private channel: Channel | undefined;
  private receiver: CallbackReceiver | undefined;

  /** A client with the same key, used as customers use it. */
  readonly lanyard: Lanyard;

  constructor(
    readonly baseUrl: string,
    readonly key: string,
    fetch: typeof globalThis.fetch = globalThis.fetch,
  ) {
    this.lanyard = new Lanyard({ baseUrl, key, fetch });
  }

  /** Another application, with its own key, which this one (an administrator) creates. */
  async another(name: string): Promise<Application> {
    const { key } = await this.lanyard.call('POST /v3/api-keys', { body: { name } });
    return new Application(this.baseUrl, key);
  }

  /** The same key over other connections. */
  withFetch(fetch: typeof globalThis.fetch): Application {
    return new Application(this.baseUrl, this.key, fetch);
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

  /** Registers the WebSocket channel and stays connected, even if the service restarts. */
  async connects(serialization?: ChannelOptions['serialization']): Promise<void> {
    this.channel = await this.lanyard.listen({ reconnectMaxMs: 1_000, ...(serialization && { serialization }) });
    void this.collect(this.channel).catch(() => undefined);
  }

  /** Registers a callback channel that leads to the receiver. */
  async registerCallback(receiver: CallbackReceiver, serialization?: object): Promise<void> {
    const body = { url: receiver.url, headers: { 'x-application': 'e2e' }, ...(serialization && { serialization }) };
    await this.lanyard.call('PUT /v2/notification/callback', { body });
    this.receiver = receiver;
  }

  closes(): void {
    this.channel?.close();
  }

  /** Everything that its channel received, in order. */
  get received(): Received[] {
    return [...this.fromSocket, ...(this.receiver?.messages ?? []).flatMap(itemsOf)];
  }

  items(category: string): Received['item'][] {
    return this.received.filter((r) => r.category === category).map((r) => r.item as unknown);
  }

  /** Waits for an item of a category that passes the check. */
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

  /** Creates a device with a credential: by default, a pre-shared key of the service's choice. `path`: that of the credential. */
  async credentialOf(
    endpointName: string,
    credential: object = { kind: 'psk' },
  ): Promise<{ deviceId: string; path: string; identity: string; key: string }> {
    const { json: device } = await this.call('POST', '/v3/devices', { endpoint_name: endpointName });
    const credentials = `/v3/devices/${device.id}/credentials`;
    const { status, json, text } = await this.call('POST', credentials, credential);
    if (status !== 201) throw new Error(`POST ${credentials}: ${status} ${text}`);
    return { deviceId: device.id, path: `${credentials}/${json.id}`, identity: json.identity, key: json.key };
  }

  async deviceId(endpointName: string): Promise<string> {
    return eventually(async () => {
      const { data } = await this.lanyard.call('GET /v3/devices', { query: { endpoint_name: endpointName } });
      if (!data[0]) throw new Error(`no device ${endpointName}`);
      return data[0].id;
    });
  }

  private async collect(channel: Channel): Promise<void> {
    for await (const { category, item } of channel) this.fromSocket.push({ category, item });
  }
}
