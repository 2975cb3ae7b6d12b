import { once } from 'node:events';
import { WebSocket } from 'ws';
import { eventsOf, parseMessage, type ReceivedMessage } from './notification-message.js';

export interface WebSocketOptions {
  /** Base URL of the service, http or https. */
  url: string;
  /** Sent as bearer token. */
  key?: string;
  /** Entries of Sec-WebSocket-Protocol, in place of the bearer token. */
  protocols?: string[];
  /** Sent with the handshake, beside the key. */
  headers?: Record<string, string>;
  /** False: pings are not answered. */
  echo?: boolean;
  /** Receives each message as it arrived, instead of `messages`. */
  onMessage?: (message: Buffer) => void;
}

export interface Closed {
  code: number;
  reason: string;
}

const connectPath = '/v2/notification/websocket-connect';

/** An application's WebSocket. */
export class WebSocketClient {
  readonly messages: ReceivedMessage[] = [];
  /** Payloads of the service's pings. */
  readonly pings: Buffer[] = [];
  /** Set when the socket is closed. */
  closed: Closed | undefined;
  readonly socket: WebSocket;

  constructor({ url, key, protocols = [], headers = {}, echo = true, onMessage }: WebSocketOptions) {
    this.socket = new WebSocket(url.replace(/^http/, 'ws') + connectPath, protocols, {
      autoPong: echo,
      headers: { ...headers, ...(key !== undefined && { authorization: `Bearer ${key}` }) },
    });
    const keep = (data: Buffer): void => void this.messages.push(parseMessage(data.toString('utf8')));
    this.socket.on('message', onMessage ?? keep);
    this.socket.on('ping', (data) => this.pings.push(data));
    this.socket.on('close', (code, reason) => (this.closed = { code, reason: reason.toString() }));
    this.socket.on('error', () => undefined);
  }

  /** Resolves when the handshake was accepted; rejects when it was not. */
  async opened(): Promise<this> {
    if (this.socket.readyState === WebSocket.CONNECTING) await once(this.socket, 'open');
    return this;
  }

  /** The subprotocol that the service selected; '' for none. */
  get protocol(): string {
    return this.socket.protocol;
  }

  events(category: string): unknown[] {
    return eventsOf(this.messages, category);
  }

  /** Stops reading: data backs up in the connection. */
  pause(): void {
    this.socket.pause();
  }

  close(code = 1000): void {
    this.socket.close(code);
  }

  /** Ends the connection without a closing handshake, as when the network breaks. */
  cut(): void {
    this.socket.terminate();
  }
}
