/** Keeps processes running: restarts those that died, with growing pauses. */
import { isAlive } from './processes.ts';
import { say } from './project.ts';
import type { Unit } from './state.ts';

const checkPeriodMs = 200;
const pauseFirstMs = 250;
const pauseMaxMs = 10_000;

/** A process that has been alive for this long is healthy: its next death counts as the first again. */
const healthyMs = 30_000;

export interface Supervised {
  unit: Unit;
  /** @returns the pid, or 0 if the program could not be started */
  launch: () => number;
}

export class Supervisor {
  /** `since`: the last start; `pauseMs`: before the next restart; `dueAt`: when a restart is due, 0 if none is */
  entries: { since: number; pauseMs: number; dueAt: number; unit: Unit; launch: () => number }[];
  onChange: () => void;
  report: (text: string) => void;
  now: () => number;
  isUnsaved = false;
  timer: NodeJS.Timeout | undefined = undefined;

  constructor(
    supervised: Supervised[],
    {
      onChange,
      report = say,
      now = Date.now,
    }: { onChange: () => void; report?: (text: string) => void; now?: () => number },
  ) {
    this.entries = supervised.map((s) => ({ ...s, since: now(), pauseMs: pauseFirstMs, dueAt: 0 }));
    this.onChange = onChange;
    this.report = report;
    this.now = now;
  }

  start() {
    this.timer = setInterval(() => this.look(), checkPeriodMs);
  }

  stop() {
    clearInterval(this.timer);
  }

  /** One round: schedules restarts of dead processes, and starts those that are due. */
  look() {
    if (this.isUnsaved) this.changed();
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

  restart(entry: Supervised & { since: number; dueAt: number }) {
    entry.since = this.now();
    entry.dueAt = 0;
    try {
      const pid = entry.launch();
      if (pid === 0) throw new Error('its program cannot be run');
      entry.unit.pid = pid;
    } catch (error) {
      this.report(`${entry.unit.name} could not be started: ${error instanceof Error ? error.message : error}`);
      return;
    }
    entry.unit.restarts++;
    this.report(`${entry.unit.name} started again (pid ${entry.unit.pid}, restarts: ${entry.unit.restarts})`);
    this.changed();
  }

  /** Reports a change until that succeeds: a full disk must not end the supervision. */
  changed() {
    try {
      this.onChange();
      if (this.isUnsaved) this.report('the state is saved again');
      this.isUnsaved = false;
    } catch (error) {
      if (!this.isUnsaved) this.report(`${error instanceof Error ? error.message : error}; trying again`);
      this.isUnsaved = true;
    }
  }
}
