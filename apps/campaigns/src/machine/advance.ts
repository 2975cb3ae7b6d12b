import type { Advance, Circumstances, DeviceUpdate, Goal, PackageObject, Step, UpdateEvent } from './device-update.js';
import { firmwareMachine } from './firmware.js';
import { type Machine, polledSteps } from './handlers.js';
import { failAttempt, finish, poll } from './outcomes.js';
import { softwareMachine } from './software.js';

const machines: Record<PackageObject, Machine> = { 5: firmwareMachine, 9: softwareMachine };

const start = (update: DeviceUpdate, machine: Machine, now: Circumstances): Advance =>
  machine.begin({ ...update, state: 'updating', attempt: update.attempt + 1, polls: 0, reason: null }, now);

/** The answer is overdue, or the next poll is due. */
const onDue = (update: DeviceUpdate, step: Step, goal: Goal, now: Circumstances): Advance => {
  const { deadlineMs, isAsked } = update;
  const machine = machines[goal.object];
  if (deadlineMs !== null && now.nowMs >= deadlineMs)
    return failAttempt(update, { reason: `${step} took too long` }, goal, now);
  if (isAsked) return machine.handlers[step]?.(update, { kind: 'unanswered' }, goal, now) ?? { update };
  return poll(update, machine.polledPath(step, update), now);
};

/** The effect of an event on the update of a device. A pure function: time and configuration are parameters. */
export const advance = (update: DeviceUpdate, event: UpdateEvent, goal: Goal, now: Circumstances): Advance => {
  const { state, step } = update;
  if (event.kind === 'ended') return finish(update, event.state, event.code, event.reason);
  if (event.kind === 'started') return state === 'waiting' ? start(update, machines[goal.object], now) : { update };
  if (state !== 'updating' || step === null) return { update };
  if (event.kind === 'due') return onDue(update, step, goal, now);
  if (event.kind === 'registered')
    return update.isAsked || !polledSteps.has(step) ? { update } : { update: { ...update, dueMs: now.nowMs } };
  const answered = { ...update, isAsked: false };
  return machines[goal.object].handlers[step]?.(answered, event, goal, now) ?? { update: answered };
};
