/** Keeps processes running: what dies is started again, with growing pauses. */
import { isAlive } from './processes.mjs';
import { say } from './project.mjs';

const lookMs = 200;
const pauseFirstMs = 250;
const pauseMaxMs = 10_000;

/** Alive for this long means healthy: the next death is a first one again. */
const healthyMs = 30_000;

/**
 * @typedef {{ unit: import('./state.mjs').Unit, launch: () => number }} Supervised
 */

export class Supervisor {
  /**
   * @param {Supervised[]} supervised
   * @param {{ onChange: () => void, report?: (text: string) => void, now?: () => number }} options
   */
  constructor(supervised, { onChange, report = say, now = Date.now }) {
    this.entries = supervised.map((s) => ({ ...s, since: now(), pauseMs: pauseFirstMs, dueAt: 0 }));
    this.onChange = onChange;
    this.report = report;
    this.now = now;
    /** @type {NodeJS.Timeout | undefined} */
    this.timer = undefined;
  }

  start() {
    this.timer = setInterval(() => this.look(), lookMs);
  }

  stop() {
    clearInterval(this.timer);
  }

  /** One round: what is dead gets a time to start at; what is due is started. */
  look() {
    for (const entry of this.entries) {
      const { unit } = entry;
      if (unit.pid !== undefined && isAlive(unit.pid)) continue;
      if (entry.dueAt === 0) {
        if (this.now() - entry.since > healthyMs) entry.pauseMs = pauseFirstMs;
        entry.dueAt = this.now() + entry.pauseMs;
        this.report(`${unit.name} (pid ${unit.pid}) died: started again in ${entry.pauseMs} ms`);
        entry.pauseMs = Math.min(entry.pauseMs * 2, pauseMaxMs);
      }
      if (this.now() >= entry.dueAt) this.restart(entry);
    }
  }

  /** @param {Supervised & { since: number, dueAt: number }} entry */
  restart(entry) {
    entry.unit.pid = entry.launch();
    entry.unit.restarts++;
    entry.since = this.now();
    entry.dueAt = 0;
    this.report(`${entry.unit.name} started again (pid ${entry.unit.pid}, restarts: ${entry.unit.restarts})`);
    this.onChange();
  }
}
