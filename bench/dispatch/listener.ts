/**
 * A customer's side in a thread of its own: an HTTP server and WebSockets, and when each value came. In the thread that
 * sends, a callback would wait for what that does at the moment, and the next callback for its answer.
 */
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { WebSocket } from 'ws';
import { Receiver } from './installation.ts';
import { numbersIn } from './values.ts';

export interface Came {
  number: number;
  atMs: number;
}

/** The same in every thread, which `performance.now` is not. */
export const nowMs = () => Number(process.hrtime.bigint()) / 1e6;

const tellAfterMs = 20;

export class Listener {
  onValues: (came: Came[]) => void = () => undefined;
  /** Of the HTTP server. */
  url = '';
  worker?: Worker;

  async start() {
    this.worker = new Worker(new URL(import.meta.url));
    this.worker.on('message', (message) => {
      if ('came' in message) this.onValues(message.came);
    });
    this.url = (await this.next('url')).url;
    return this;
  }

  /** Opens a WebSocket. */
  async connect(url: string, protocols: string[] = []) {
    this.worker?.postMessage({ url, protocols });
    await this.next('opened');
  }

  stop() {
    void this.worker?.terminate();
  }

  next(key: string): Promise<{ url: string }> {
    return new Promise((resolve, reject) => {
      const { worker } = this;
      const take = (message: object) => {
        if (!(key in message)) return;
        worker?.off('message', take);
        resolve(message as { url: string });
      };
      worker?.on('message', take).once('error', reject);
    });
  }
}

const listen = async () => {
  let came: Came[] = [];
  const take = (body: Buffer) => {
    const atMs = nowMs();
    for (const { number } of numbersIn(body)) came.push({ number, atMs });
  };
  setInterval(() => {
    if (came.length === 0) return;
    parentPort?.postMessage({ came });
    came = [];
  }, tellAfterMs);
  parentPort?.on('message', ({ url, protocols }) => {
    const socket = new WebSocket(url, protocols, { perMessageDeflate: false });
    socket.on('message', (data) => take(data as Buffer));
    socket.once('open', () => parentPort?.postMessage({ opened: url }));
  });
  const receiver = await new Receiver().start();
  receiver.onMessage = ({ body }) => take(body);
  parentPort?.postMessage({ url: receiver.url(0) });
};
if (!isMainThread) await listen();
