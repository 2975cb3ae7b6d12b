import { connect, type Socket } from 'node:net';
import { encodeFrame, type StreamMessage } from '../src/codec/stream-message.js';
import { FrameReader } from '../src/stream/frame-reader.js';
import { csm } from '../src/stream/signals.js';

const PATIENCE_MS = 60_000;

/** A bare connection that says what it is told and nothing by itself. */
export class RawStream {
  private readonly reader = new FrameReader(4_000_000);
  private readonly inbox: StreamMessage[] = [];
  private wake: (() => void) | undefined;
  private over = false;

  private constructor(readonly socket: Socket) {
    socket.on('data', (bytes: Buffer) => {
      this.reader.push(bytes);
      for (let next = this.reader.next(); next !== undefined; next = this.reader.next()) this.inbox.push(next);
      this.wake?.();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.over = true;
      this.wake?.();
    });
  }

  static async open(port: number): Promise<RawStream> {
    const socket = connect({ host: '127.0.0.1', port });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', () => resolve());
      socket.once('error', reject);
    });
    return new RawStream(socket);
  }

  /** With the CSMs exchanged. */
  static async ready(port: number, messageBytesMax = 1_000_000): Promise<RawStream> {
    const stream = await RawStream.open(port);
    await stream.next();
    stream.send(csm(messageBytesMax));
    return stream;
  }

  send(content: Buffer | Partial<StreamMessage>): void {
    const empty = Buffer.alloc(0);
    const bytes = Buffer.isBuffer(content)
      ? content
      : encodeFrame({ code: 0, token: empty, options: [], payload: empty, ...content });
    this.socket.write(bytes);
  }

  /** The next message; undefined when the connection ended before. */
  async next(): Promise<StreamMessage | undefined> {
    await this.until(() => this.inbox.length > 0 || this.over);
    return this.inbox.shift();
  }

  /** All messages until the other side ended the connection. */
  async rest(): Promise<StreamMessage[]> {
    await this.until(() => this.over);
    return this.inbox.splice(0);
  }

  async ask(content: Partial<StreamMessage>): Promise<StreamMessage | undefined> {
    this.send(content);
    return this.next();
  }

  close(): Promise<void> {
    this.socket.destroy();
    return Promise.resolve();
  }

  private async until(holds: () => boolean): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    while (!holds()) {
      if (Date.now() > deadline) throw new Error('nothing arrived');
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 100);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}
