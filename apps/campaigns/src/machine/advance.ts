import type { Advance, AdvanceContext, DeviceUpdate, Goal, PackageObject, Step, UpdateEvent } from './device-update.js';
import { firmwareMachine } from './firmware.js';
import { type Machine, polledSteps } from './handlers.js';
import { failAttempt, finish, poll } from './outcomes.js';
import { softwareMachine } from './software.js';

const machines: Record<PackageObject, Machine> = { 5: firmwareMachine, 9: softwareMachine };

const start = (update: DeviceUpdate, machine: Machine, context: AdvanceContext): Advance =>
  machine.begin({ ...update, state: 'updating', attempt: update.attempt + 1, polls: 0, reason: null }, context);

/** The step has reached its deadline, its command counts as unanswered, or its next poll is due. */
const onDue = (update: DeviceUpdate, step: Step, goal: Goal, context: AdvanceContext): Advance => {
  const { deadlineMs, isCommandPending } = update;
  const machine = machines[goal.object];
  if (deadlineMs !== null && context.nowMs >= deadlineMs)
    return failAttempt(update, { reason: `${step} took too long` }, goal, context);
  if (isCommandPending) return machine.handlers[step]?.(update, { kind: 'unanswered' }, goal, context) ?? { update };
  return poll(update, machine.polledPath(step, update), context);
};

/** The effect of an event on the update of a device. A pure function: time and configuration are parameters. */
export const advance = (update: DeviceUpdate, event: UpdateEvent, goal: Goal, context: AdvanceContext): Advance => {
  const { state, step } = update;
  if (event.kind === 'ended') return finish(update, event.state, event.code, event.reason);
  if (event.kind === 'started') return state === 'waiting' ? start(update, machines[goal.object], context) : { update };
  if (state !== 'updating' || step === null) return { update };
  if (event.kind === 'due') return onDue(update, step, goal, context);
  if (event.kind === 'registered')
    return update.isCommandPending || !polledSteps.has(step)
      ? { update }
      : { update: { ...update, dueMs: context.nowMs } };
  const answered = { ...update, isCommandPending: false };
  return machines[goal.object].handlers[step]?.(answered, event, goal, context) ?? { update: answered };
};
