/** The customer's long poll of one channel: the next one begins when the last was answered. */
import { sleep } from '../../tools/lanyard/project.ts';
import { Agent, get, type ClientRequest } from 'node:http';
import type { History } from '../history.ts';

const againMs = 50;
const pollTimeoutMs = 40_000;

export class PullReceiver {
  isStopped = false;
  /** No poll is on its way, and none will be. */
  isOver = false;
  /** What the next poll says of the last answer that came. */
  after = '0';
  polls = 0;
  agent = new Agent({ keepAlive: true });
  request: ClientRequest | undefined;
  history: History;
  channel: string;
  where: () => { url: string; headers: Record<string, string> };

  /** @param where to poll next */
  constructor(history: History, channel: string, where: () => { url: string; headers: Record<string, string> }) {
    this.history = history;
    this.channel = channel;
    this.where = where;
  }

  start() {
    void this.work();
    return this;
  }

  async work() {
    while (!this.isStopped) {
      const status = await this.poll();
      this.polls++;
      if (status !== 200 && status !== 204) await sleep(againMs);
    }
    this.isOver = true;
  }

  /** Status of the answer; 0 when there was none. */
  poll(): Promise<number> {
    const { url, headers } = this.where();
    return new Promise((done) => {
      let isAnswered = false;
      const options = { agent: this.agent, headers, timeout: pollTimeoutMs };
      const request = get(`${url}/v2/notification/pull?after=${this.after}`, options, async (response) => {
        isAnswered = true;
        try {
          let text = '';
          for await (const part of response.setEncoding('utf8')) text += part;
          if (response.statusCode === 200 && response.complete) {
            this.history.deliver(this.channel, text, 'accepted');
            this.after = /[?&]after=([^>]+)>/.exec(String(response.headers.link))?.[1] ?? this.after;
          }
          done(response.complete ? (response.statusCode ?? 0) : 0);
        } catch {
          done(0);
        }
      });
      this.request = request;
      request.on('timeout', () => request.destroy());
      request.on('error', () => done(0));
      request.on('close', () => !isAnswered && done(0));
    });
  }

  /** Gives up: a response in flight finds no reader. */
  breakOff() {
    this.request?.destroy();
  }

  heal() {
    return undefined;
  }

  stop() {
    this.isStopped = true;
    this.request?.destroy();
    this.agent.destroy();
  }
}
