/** Events that must arrive: counted while they do, and checked afterwards, so that none is missing or out of order. */
import { notificationsIn, type Message } from '../application.ts';
import { until } from '../travels.ts';
import { eventsIn } from './values.ts';

/** Values that arrived: which, how often, and in which order for each device. */
export class Tally {
  seen = new Set<number>();
  newest = new Map<string, number>();
  twice = 0;
  overtaken: string[] = [];

  /** @returns the values of the message that arrived for the first time */
  note(body: Buffer) {
    const fresh = notificationsIn(body).filter(({ number }) => !this.seen.has(number) || !++this.twice);
    for (const { device, number } of fresh) {
      this.seen.add(number);
      const newest = this.newest.get(device) ?? -1;
      if (number < newest) this.overtaken.push(`value ${number} of ${device}`);
      this.newest.set(device, Math.max(newest, number));
    }
    return fresh;
  }

  /** Throws when a value came after a later one of its device. */
  verifyOrder() {
    const [first] = this.overtaken;
    if (first !== undefined) throw new Error(`${first} was overtaken`);
  }
}

/** The values numbered from `from` on, as many as `count`, and the messages that arrived. */
export class Expected {
  arrivals: Message[] = [];
  events = 0;
  completeAtMs = 0;
  from: number;
  count: number;

  constructor(from: number, count: number) {
    this.from = from;
    this.count = count;
  }

  arrive(arrival: Message) {
    this.arrivals.push(arrival);
    this.events += eventsIn(arrival.body);
    if (this.events >= this.count) this.completeAtMs ||= arrival.atMs;
  }

  /** Waits until as many events have arrived as are expected, by the size of the messages. */
  async complete(timeoutMs = 120_000) {
    await until(() => this.completeAtMs > 0, `${this.count} events`, { timeoutMs, found: () => `${this.events} came` });
  }

  /** Events a second from `start` until all have arrived. */
  async rateFrom(start: () => unknown) {
    const startedAt = performance.now();
    start();
    await this.complete();
    return (this.count / (this.completeAtMs - startedAt)) * 1_000;
  }

  /** Like `complete`, but some events may arrive twice. */
  async completeWithRepeats(timeoutMs = 120_000) {
    await this.complete(timeoutMs);
    const numbers = () => this.arrivals.flatMap(({ body }) => notificationsIn(body).map(({ number }) => number));
    await until(() => new Set(numbers()).size === this.count, 'values that came once at least', { timeoutMs });
  }

  /** Throws unless each event arrived; returns how often and in which order. */
  tally() {
    const tally = new Tally();
    for (const { body } of this.arrivals) tally.note(body);
    for (let n = this.from; n < this.from + this.count; n++)
      if (!tally.seen.has(n)) throw new Error(`value ${n} is missing`);
    return tally;
  }

  /** Throws unless each event arrived, in the order of its device; returns how many arrived twice. */
  verify() {
    const tally = this.tally();
    tally.verifyOrder();
    return tally.twice;
  }
}
