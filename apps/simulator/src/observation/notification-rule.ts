import { type Scalar } from '@lanyard/lwm2m';
import { type Attributes } from '../objects/attributes.js';

/** What to do about a new value: notify now, or no earlier than in `waitMs` milliseconds, or not at all. */
export type Decision = 'notify' | 'ignore' | { waitMs: number };

const crossed = (limit: number | undefined, before: number, now: number): boolean =>
  limit !== undefined && before > limit !== now > limit;

/** Decides when to notify an observation, by its write attributes (LwM2M 1.2 core §7.3.2). */
export class NotificationRule {
  private notifiedAtMs: number;
  private notified: Scalar | undefined;
  private before: Scalar | undefined;

  /** `initial`: the value in the answer to the observation. */
  constructor(initial: Scalar | undefined, nowMs: number) {
    this.notifiedAtMs = nowMs;
    this.notified = initial;
    this.before = initial;
  }

  /** `value`: undefined when there are several values. */
  decide(value: Scalar | undefined, attributes: Attributes, nowMs: number): Decision {
    const matters = this.matters(value, attributes);
    this.before = value;
    if (!matters) return 'ignore';
    const waitMs = this.untilMinimumMs(attributes, nowMs);
    return waitMs > 0 ? { waitMs } : 'notify';
  }

  sent(value: Scalar | undefined, nowMs: number): void {
    this.notifiedAtMs = nowMs;
    this.notified = value;
  }

  /** Milliseconds until the minimum period ends; 0 when it is over, or without one. */
  untilMinimumMs({ pmin = 0 }: Attributes, nowMs: number): number {
    return Math.max(0, this.notifiedAtMs + pmin * 1_000 - nowMs);
  }

  /** Milliseconds until the maximum period ends; undefined without one, or if it is shorter than the minimum period. */
  untilMaximumMs({ pmin = 0, pmax = 0 }: Attributes, nowMs: number): number | undefined {
    if (pmax === 0 || pmax < pmin) return undefined;
    return Math.max(0, this.notifiedAtMs + pmax * 1_000 - nowMs);
  }

  private matters(value: Scalar | undefined, { gt, lt, st, edge }: Attributes): boolean {
    const { before, notified } = this;
    if (edge !== undefined) return before !== value && value === (edge === 1);
    if (gt === undefined && lt === undefined && st === undefined) return true;
    if (typeof value !== 'number' || typeof before !== 'number') return true;
    const steps = st !== undefined && (typeof notified !== 'number' || Math.abs(value - notified) >= st);
    return steps || crossed(gt, before, value) || crossed(lt, before, value);
  }
}
