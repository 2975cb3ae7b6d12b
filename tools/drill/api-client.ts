/** A client as applications should be: it repeats a call once, at another gateway, after as long as it was told. */
import { sleep } from '../lanyard/project.ts';

const patienceMs = 20_000;
const pauseMs = 1_000;

interface Tally {
  calls: number;
  repeated: number;
  failed: number;
  problems: Map<string, number>;
  slowestMs: number;
}

interface Reply {
  status: number;
  text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- what is asked for has many shapes
  json: any;
  retryAfterMs: number;
}

export const emptyTally = (): Tally => ({ calls: 0, repeated: 0, failed: 0, problems: new Map(), slowestMs: 0 });

export class ApiClient {
  /** Where calls are counted: changed from step to step. */
  tally = emptyTally();
  turn = 0;
  gateways: readonly string[];
  key: string;

  constructor(gateways: readonly string[], key: string) {
    this.gateways = gateways;
    this.key = key;
  }

  /** The next gateway, as a load balancer would choose. */
  nextGateway() {
    return this.gateways[this.turn++ % this.gateways.length] as string;
  }

  /** undefined when both attempts failed. A status below 500 that is no 429 is an answer. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Reply | undefined> {
    const { tally } = this;
    const started = performance.now();
    tally.calls++;
    const name = `${method} ${path.replace(/\?.*/, '').replace(/[0-9a-f]{32}/g, '{id}')}`;
    // The other one the second time, as a load balancer does that has noticed.
    const first = this.turn++;
    for (let attempt = 1; ; attempt++) {
      const gateway = this.gateways[(first + attempt) % this.gateways.length] as string;
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

  /** For setting up: repeats until it succeeds. */
  async must(method: string, path: string, body?: unknown) {
    for (let attempt = 1; ; attempt++) {
      const reply = await this.attempt(this.nextGateway(), method, path, body).catch(() => undefined);
      if (reply && reply.status < 300) return reply.json;
      if (attempt === 20) throw new Error(`${method} ${path}: ${reply?.status} ${reply?.text}`);
      await sleep(pauseMs);
    }
  }

  /** Every object of a list. */
  async all(path: string) {
    const found: Reply['json'][] = [];
    for (let after = ''; ;) {
      const page = await this.must('GET', `${path}?limit=1000${after}`);
      found.push(...page.data);
      if (!page.has_more) return found;
      after = `&after=${page.data.at(-1).id}`;
    }
  }

  async attempt(
    gateway: string,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
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
