/** The customer's long poll of one channel: the next poll begins when the last one was answered. */
import { sleep } from '../../tools/lanyard/project.ts';
import type { History } from '../history.ts';

const retryAfterMs = 50;
const pollTimeoutMs = 40_000;

export class PullReceiver {
  isStopped = false;
  /** No poll is in flight, and none will follow. */
  isOver = false;
  /** The position of the last answer that arrived, for the next poll. */
  after = '0';
  request = new AbortController();
  history: History;
  channel: string;
  target: () => { url: string; headers: Record<string, string> };

  /** @param target returns where to poll next */
  constructor(history: History, channel: string, target: () => { url: string; headers: Record<string, string> }) {
    this.history = history;
    this.channel = channel;
    this.target = target;
  }

  start() {
    void this.work();
    return this;
  }

  async work() {
    while (!this.isStopped) {
      const status = await this.poll();
      if (status !== 200 && status !== 204) await sleep(retryAfterMs);
    }
    this.isOver = true;
  }

  /** Status of the answer; 0 when there was none. */
  async poll(): Promise<number> {
    const { url, headers } = this.target();
    this.request = new AbortController();
    const signal = AbortSignal.any([this.request.signal, AbortSignal.timeout(pollTimeoutMs)]);
    try {
      const response = await fetch(`${url}/v2/notification/pull?after=${this.after}`, { headers, signal });
      const text = await response.text();
      if (response.status === 200) {
        this.history.deliver(this.channel, text, 'accepted');
        this.after = /[?&]after=([^>]+)>/.exec(response.headers.get('link') ?? '')?.[1] ?? this.after;
      }
      return response.status;
    } catch {
      return 0;
    }
  }

  /** Aborts the poll: the client does not read a response in flight. */
  breakOff() {
    this.request.abort();
  }

  heal() {
    return undefined;
  }

  stop() {
    this.isStopped = true;
    this.request.abort();
  }
}
