import { createSocket, type Socket } from 'node:dgram';
import { type CoapMessage, type CoapOption, decodeMessage, encodeMessage } from '../src/index.js';

const PATIENCE_MS = 60_000;

const empty = Buffer.alloc(0);

export const message = (over: Partial<CoapMessage>): CoapMessage => ({
  type: 'CON',
  code: 0,
  messageId: 1,
  token: empty,
  options: [],
  payload: empty,
  ...over,
});

export const option = (number: number, value: string | number[]): CoapOption => ({ number, value: Buffer.from(value) });

export const uriPath = (...segments: string[]): CoapOption[] => segments.map((segment) => option(11, segment));

export const optionOf = ({ options }: CoapMessage, number: number): Buffer | undefined =>
  options.find((one) => one.number === number)?.value;

/** A bare socket that sends what it is told and does nothing by itself: a hostile peer, or one that lost something. */
export class RawPeer {
  private readonly inbox: CoapMessage[] = [];
  private readonly waiting: ((message: CoapMessage) => void)[] = [];
  private pingId = 60_000;

  private constructor(
    private readonly socket: Socket,
    private readonly target: number,
    private readonly host: string,
  ) {
    socket.on('message', (bytes) => {
      const received = decodeMessage(bytes);
      const waiting = this.waiting.shift();
      if (waiting) waiting(received);
      else this.inbox.push(received);
    });
  }

  static async open(targetPort: number, host = '127.0.0.1'): Promise<RawPeer> {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    await new Promise<void>((resolve) => socket.bind(0, host, resolve));
    return new RawPeer(socket, targetPort, host);
  }

  get port(): number {
    return this.socket.address().port;
  }

  send(content: Buffer | Partial<CoapMessage>): void {
    const bytes = Buffer.isBuffer(content) ? content : encodeMessage(message(content));
    this.socket.send(bytes, this.target, this.host);
  }

  /** The next message that arrives. */
  next(): Promise<CoapMessage> {
    const received = this.inbox.shift();
    if (received) return Promise.resolve(received);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('nothing arrived')), PATIENCE_MS);
      this.waiting.push((arrived) => {
        clearTimeout(timer);
        resolve(arrived);
      });
    });
  }

  async ask(content: Buffer | Partial<CoapMessage>): Promise<CoapMessage> {
    this.send(content);
    return this.next();
  }

  /** Datagrams on the loopback keep their order: when the answer to a ping comes next, nothing came before it. */
  async heardNothing(): Promise<void> {
    const messageId = this.pingId++;
    const answer = await this.ask({ messageId });
    if (answer.type !== 'RST' || answer.messageId !== messageId) {
      throw new Error(`heard ${answer.type} ${answer.code} ${answer.messageId}`);
    }
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.socket.close(() => resolve()));
  }
}
