/** A customer's application: makes REST calls with a key, and keeps the messages of its channel as they came. */
import { Lanyard } from '@lanyard/client';
import { CallbackReceiver, WebSocketClient } from '@lanyard/testing';

/** A message as it arrived: JSON text, and the time by `performance.now`. */
export interface Message {
  atMs: number;
  body: Buffer;
  /** Number of the channel, for a receiver of many channels. */
  channel: number;
}

/** An HTTP server for the callbacks of many channels: `/n` is channel n. */
export class Receiver extends CallbackReceiver {
  onMessage: (message: Message) => void = () => undefined;

  override onCall: CallbackReceiver['onCall'] = ({ path, body }) => {
    // Calls are not kept, because there are too many.
    this.calls.length = 0;
    this.onMessage({ atMs: performance.now(), body: Buffer.from(body, 'latin1'), channel: Number(path.slice(1)) });
  };

  protected override isOwn() {
    return true;
  }

  urlOf(channel: number) {
    return new URL(`/${channel}`, this.url).href;
  }
}

/**
 * Resolves once the socket is open.
 * @param key undefined for a program that authenticates no client
 */
export const openSocket = (url: string, key: string | undefined, onMessage: (message: Message) => void, channel = 0) =>
  new WebSocketClient({
    url,
    ...(key !== undefined && { protocols: ['wss', `service_${key}`] }),
    onMessage: (body) => onMessage({ atMs: performance.now(), body, channel }),
  }).opened();

export class Application {
  baseUrl: string;
  key: string;
  keyId: string;
  accountId: string;
  lanyard: Lanyard;
  onMessage: (message: Message) => void = () => undefined;
  closers: (() => void)[] = [];

  constructor(baseUrl: string, { key, id, account_id: accountId }: { key: string; id: string; account_id: string }) {
    this.baseUrl = baseUrl;
    this.key = key;
    this.keyId = id;
    this.accountId = accountId;
    this.lanyard = new Lanyard({ baseUrl, key });
  }

  /** Creates its WebSocket channel, and connects to it. */
  async listen() {
    await this.lanyard.call('PUT /v2/notification/websocket', { body: {} });
    const socket = await openSocket(this.baseUrl, this.key, (message) => this.onMessage(message));
    this.closers.push(() => socket.cut());
  }

  /** Starts a server that answers 204 to everything, and registers it as the callback. */
  async receiveCallbacks() {
    const receiver = await new Receiver().start();
    receiver.onMessage = (message) => this.onMessage(message);
    await this.lanyard.call('PUT /v2/notification/callback', { body: { url: receiver.url } });
    this.closers.push(() => void receiver.stop());
  }

  close() {
    for (const close of this.closers.splice(0)) close();
  }
}

/** The values in a message; each is a number. */
export const notificationsIn = (body: Buffer): { device: string; number: number }[] =>
  (JSON.parse(body.toString()).notifications ?? []).map((n: { ep: string; payload: string }) => ({
    device: n.ep,
    number: Number(Buffer.from(n.payload, 'base64').toString()),
  }));
