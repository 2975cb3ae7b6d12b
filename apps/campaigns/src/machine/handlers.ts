import type { Advance, Circumstances, DeviceUpdate, Goal, Step, UpdateEvent } from './device-update.js';
import { failAttempt, pollLater } from './outcomes.js';

export type Handler = (update: DeviceUpdate, event: UpdateEvent, goal: Goal, now: Circumstances) => Advance;

/** How an object installs packages. */
export interface Machine {
  /** The first command of an attempt. */
  begin(update: DeviceUpdate, now: Circumstances): Advance;
  handlers: Partial<Record<Step, Handler>>;
  /** What is read again and again in a step. */
  polledPath(step: Step, update: DeviceUpdate): string;
}

/** A device that is idle at so many polls in a row has not begun to download, or has lost what it had. */
export const idlePollsMax = 3;

export const polledSteps: ReadonlySet<Step> = new Set(['download', 'install', 'verify']);

export const download = (update: DeviceUpdate, goal: Goal, now: Circumstances): Advance =>
  pollLater({ ...update, step: 'download', deadlineMs: now.nowMs + goal.downloadTimeoutMs, polls: 0 }, now);

export const install = (update: DeviceUpdate, goal: Goal, now: Circumstances): Advance =>
  pollLater({ ...update, step: 'install', deadlineMs: now.nowMs + goal.installTimeoutMs, polls: 0 }, now);

export const unreachable = (update: DeviceUpdate, goal: Goal, now: Circumstances): Advance =>
  failAttempt(update, 'no answer', goal, now, { isUnreachable: true });

/** A URI whose acknowledgement was lost may have arrived: the polls tell. */
export const onOffer: Handler = (update, event, goal, now) => {
  if (event.kind === 'refused') return failAttempt(update, `package refused: ${event.error}`, goal, now);
  if (event.kind === 'unanswered' && update.delivery === 'push') return unreachable(update, goal, now);
  return download(update, goal, now);
};

/** The answer may have been lost in the reboot. */
export const onExecute: Handler = (update, event, goal, now) =>
  event.kind === 'refused'
    ? failAttempt(update, `update refused: ${event.error}`, goal, now)
    : install(update, goal, now);
