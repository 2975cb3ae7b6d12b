/** What must arrive, counted while it does and looked at closely afterwards: nothing missing, nothing out of order. */
import { notificationsIn, type Message } from '../application.ts';
import { until } from '../travels.ts';
import { eventsIn } from './values.ts';

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

  async complete(timeoutMs = 120_000) {
    await until(() => this.completeAtMs > 0, `${this.count} events (${this.events} came)`, timeoutMs);
  }

  /** Events a second from `start` until all are there. */
  async rateFrom(start: () => unknown) {
    const startedAt = performance.now();
    start();
    await this.complete();
    return (this.count / (this.completeAtMs - startedAt)) * 1_000;
  }

  /** As `complete`, where some may come twice. */
  async completeWithRepeats() {
    await this.complete();
    const numbers = () => this.arrivals.flatMap(({ body }) => notificationsIn(body).map(({ number }) => number));
    await until(() => new Set(numbers()).size === this.count, 'values that came once at least');
  }

  /** Throws unless each came, in the order of its device; answers how many came twice. */
  verify() {
    const seen = new Set();
    const newest = new Map<string, number>();
    let twice = 0;
    for (const { device, number } of this.arrivals.flatMap(({ body }) => notificationsIn(body))) {
      if (seen.has(number)) {
        twice++;
        continue;
      }
      seen.add(number);
      if (number < (newest.get(device) ?? -1)) throw new Error(`value ${number} of ${device} was overtaken`);
      newest.set(device, number);
    }
    for (let n = this.from; n < this.from + this.count; n++) if (!seen.has(n)) throw new Error(`value ${n} is missing`);
    return twice;
  }
}
