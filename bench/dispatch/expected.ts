/** What must arrive, counted while it does and looked at closely afterwards: nothing missing, nothing out of order. */
import { until } from '../latency.ts';
import { eventsIn, numbersIn } from './values.ts';
import type { Arrival } from './installation.ts';

export class Expected {
  arrivals: Arrival[] = [];
  events = 0;
  completeAtMs = 0;
  from: number;
  count: number;

  constructor(from: number, count: number) {
    this.from = from;
    this.count = count;
  }

  arrive(arrival: Arrival) {
    this.arrivals.push(arrival);
    this.events += eventsIn(arrival.body);
    if (this.events >= this.count) this.completeAtMs ||= arrival.atMs;
  }

  async complete(timeoutMs = 120_000) {
    await until(() => this.completeAtMs > 0, `${this.count} events (${this.events} came)`, timeoutMs);
  }

  /** As `complete`, where some may come twice. */
  async completeWithRepeats(timeoutMs = 60_000) {
    await this.complete();
    const missing = () => {
      const seen = new Set(
        this.arrivals.flatMap(({ body }) => numbersIn(body).map(({ number }: { number: number }) => number)),
      );
      return this.count - seen.size;
    };
    await until(() => missing() === 0, 'values that came once at least', timeoutMs);
  }

  /** Throws unless each came, in the order of its device; answers how many came twice. */
  verify() {
    const seen = new Set();
    const newest = new Map<string, number>();
    let twice = 0;
    for (const { body } of this.arrivals)
      for (const { device, number } of numbersIn(body)) {
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
