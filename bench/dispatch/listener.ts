/**
 * A customer's application in a separate thread: an HTTP server and WebSockets, which record when each value arrives.
 * In the thread that sends, a callback would have to wait for the current work of that thread, and the next callback
 * for its answer.
 */
import { once } from 'node:events';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { notificationsIn, openSocket, Receiver } from '../application.ts';

/** The same in every thread, which `performance.now` is not. */
export const nowMs = () => Number(process.hrtime.bigint()) / 1e6;

const reportAfterMs = 20;

export class Listener {
  onValue: (number: number, atMs: number) => void = () => undefined;
  url = '';
  worker = new Worker(new URL(import.meta.url));

  async start() {
    [{ url: this.url }] = await once(this.worker, 'message');
    this.worker.on('message', ({ arrived = [] }) => {
      for (const { number, atMs } of arrived) this.onValue(number, atMs);
    });
    return this;
  }

  async connect(url: string, key?: string) {
    this.worker.postMessage({ url, key });
    for (let opened = false; !opened;) [{ opened = false }] = await once(this.worker, 'message');
  }

  stop() {
    void this.worker.terminate();
  }
}

const listen = async () => {
  let arrived: { number: number; atMs: number }[] = [];
  const record = ({ body }: { body: Buffer }) => {
    const atMs = nowMs();
    for (const { number } of notificationsIn(body)) arrived.push({ number, atMs });
  };
  setInterval(() => {
    if (arrived.length > 0) parentPort?.postMessage({ arrived });
    arrived = [];
  }, reportAfterMs);
  parentPort?.on('message', async ({ url, key }) => {
    await openSocket(url, key, record);
    parentPort?.postMessage({ opened: true });
  });
  const receiver = await new Receiver().start();
  receiver.onMessage = record;
  parentPort?.postMessage({ url: receiver.url });
};
if (!isMainThread) await listen();
