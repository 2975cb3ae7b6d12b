/** A client as applications should be: it repeats a call once, at another gateway, after as long as it was told. */
import { sleep } from '../lanyard/project.mjs';

const patienceMs = 20_000;
const pauseMs = 1_000;

/**
 * @typedef {{ calls: number, repeated: number, failed: number, problems: Map<string, number>, slowestMs: number }} Tally
 * @typedef {{ status: number, text: string, json: any, retryAfterMs: number }} Reply
 */

/** @returns {Tally} */
export const emptyTally = () => ({ calls: 0, repeated: 0, failed: 0, problems: new Map(), slowestMs: 0 });

export class ApiClient {
  /** Where calls are counted: changed from step to step. */
  tally = emptyTally();
  turn = 0;

  /** @param {readonly string[]} gateways @param {string} key */
  constructor(gateways, key) {
    this.gateways = gateways;
    this.key = key;
  }

  /** The next gateway, as a load balancer would choose. */
  nextGateway() {
    return /** @type {string} */ (this.gateways[this.turn++ % this.gateways.length]);
  }

  /**
   * undefined when both attempts failed. A status below 500 that is no 429 is an answer.
   * @param {string} method @param {string} path @param {unknown} [body] @param {Record<string, string>} [headers]
   * @returns {Promise<Reply | undefined>}
   */
  async call(method, path, body, headers) {
    const { tally } = this;
    const started = performance.now();
    tally.calls++;
    const name = `${method} ${path.replace(/\?.*/, '').replace(/[0-9a-f]{32}/g, '{id}')}`;
    // The other one the second time, as a load balancer does that has noticed.
    const first = this.turn++;
    for (let attempt = 1; ; attempt++) {
      const gateway = /** @type {string} */ (this.gateways[(first + attempt) % this.gateways.length]);
      const reply = await this.attempt(gateway, method, path, body, headers).catch((error) =>
        String(error.cause?.code ?? error.name),
      );
      const refused = typeof reply === 'string' || reply.status >= 500 || reply.status === 429;
      tally.slowestMs = Math.max(tally.slowestMs, performance.now() - started);
      if (!refused) return reply;
      if (attempt === 2) {
        const why =
          typeof reply === 'string' ? reply : `${reply.status} ${reply.json?.type ?? reply.text.slice(0, 60)}`;
        tally.failed++;
        tally.problems.set(`${name}: ${why}`, (tally.problems.get(`${name}: ${why}`) ?? 0) + 1);
        return undefined;
      }
      tally.repeated++;
      await sleep(typeof reply === 'string' ? pauseMs : reply.retryAfterMs || pauseMs);
    }
  }

  /** For setting up: repeats until it succeeds. @param {string} method @param {string} path @param {unknown} [body] */
  async must(method, path, body) {
    for (let attempt = 1; ; attempt++) {
      const reply = await this.attempt(this.nextGateway(), method, path, body).catch(() => undefined);
      if (reply && reply.status < 300) return reply.json;
      if (attempt === 20) throw new Error(`${method} ${path}: ${reply?.status} ${reply?.text}`);
      await sleep(pauseMs);
    }
  }

  /** Every object of a list. @param {string} path */
  async all(path) {
    /** @type {any[]} */
    const found = [];
    for (let after = ''; ;) {
      const page = await this.must('GET', `${path}?limit=1000${after}`);
      found.push(...page.data);
      if (!page.has_more) return found;
      after = `&after=${page.data.at(-1).id}`;
    }
  }

  /**
   * @param {string} gateway @param {string} method @param {string} path @param {unknown} [body]
   * @param {Record<string, string>} [headers] @returns {Promise<Reply>}
   */
  async attempt(gateway, method, path, body, headers = {}) {
    const response = await fetch(gateway + path, {
      method,
      headers: { authorization: `Bearer ${this.key}`, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(patienceMs),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
    return {
      status: response.status,
      text,
      json: isJson ? JSON.parse(text) : undefined,
      retryAfterMs: Number(response.headers.get('retry-after') ?? 0) * 1_000,
    };
  }
}
