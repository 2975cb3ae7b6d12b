/**
 * Faults that were not injected: this machine stood still, or Redis did not answer a dispatcher for longer than it waits. Both
 * have the effects of a fault, so they are recorded as faults, counted, and shown in the table.
 */
import { readFileSync } from 'node:fs';
import { excuses, type History } from './history.ts';
import type { Replica } from './replica.ts';

const tickMs = 50;
const lateMs = 500;

/** A dispatcher logs these when it has waited for 5 s, and when Redis answers again. */
const linkLost = /"msg":"Redis is back"|"message":"Command timed out"/;
/** How long before such a line the link may have been lost. */
const waitedMs = 6_000;

export class Hiccups {
  /** The longest delay of this process: arrivals may have been noted late by this much. */
  worstMs = 0;
  count = 0;
  history: History;
  timer: NodeJS.Timeout;

  constructor(history: History) {
    this.history = history;
    let expectedAt = Date.now() + tickMs;
    this.timer = setInterval(() => {
      const late = Date.now() - expectedAt;
      this.worstMs = Math.max(this.worstMs, late);
      if (late > lateMs) this.record('this machine stood still', expectedAt, Date.now());
      expectedAt = Date.now() + tickMs;
    }, tickMs);
  }

  /** Records lost links that no injected fault explains. */
  readLogs(replicas: readonly Replica[]) {
    const { faults } = this.history;
    const injected = faults.filter(({ excuse }) => excuse.callback > 0);
    for (const { name, spec } of replicas)
      for (const line of readFileSync(spec.logFile, 'utf8').split('\n')) {
        if (!linkLost.test(line)) continue;
        const atMs = Date.parse(/"time":"([^"]+)"/.exec(line)?.[1] ?? '');
        const isKnown = faults.some(
          (fault) =>
            (injected.includes(fault) || fault.name.startsWith(name)) &&
            atMs >= fault.fromMs &&
            atMs <= fault.toMs + waitedMs,
        );
        if (!isKnown && !Number.isNaN(atMs)) this.record(`${name} lost its link to Redis`, atMs - waitedMs, atMs);
      }
  }

  stop() {
    clearInterval(this.timer);
  }

  record(name: string, fromMs: number, toMs: number) {
    this.count++;
    this.history.faults.push({ name, fromMs, toMs, excuse: excuses(2) });
  }
}
