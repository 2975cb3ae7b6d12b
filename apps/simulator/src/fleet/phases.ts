import { type Timer, type TimerWheel } from '@lanyard/coap';
import { type Phase } from '../settings/phase.js';
import { type Fleet } from './fleet.js';

export interface PhasesOptions {
  fleet: Fleet;
  timers: TimerWheel;
  onPhase(phase: Phase): void;
  onEnd(): void;
}

/** The parts of a run, one after the other. */
export class Phases {
  private timer: Timer | undefined;

  constructor(
    private readonly phases: readonly Phase[],
    private readonly options: PhasesOptions,
  ) {}

  start(): void {
    this.begin(0);
  }

  stop(): void {
    this.timer?.cancel();
  }

  private begin(at: number): void {
    const { fleet, timers, onPhase, onEnd } = this.options;
    const phase = this.phases[at];
    if (!phase) return onEnd();
    onPhase(phase);
    fleet.begin(phase);
    this.timer = timers.schedule(phase.seconds * 1_000, () => this.begin(at + 1));
  }
}
