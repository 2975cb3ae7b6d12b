import { firmwareResults, softwareResults } from '@lanyard/lwm2m';
import {
  type Advance,
  type AdvanceContext,
  type DeviceUpdate,
  type EndCode,
  type Goal,
  mayHavePackage,
  type Step,
  type WantedCommand,
} from './device-update.js';

/** How long a registered device may take to answer one request. */
export const answerExpiryMs = 600_000;

/** How long to wait for the result of an expired command. Every command has one; a later one is treated as lost. */
const resultSlackMs = 60_000;

const pollMaxMs = 300_000;

/** First pause before another attempt, as a multiple of the first pause between polls. */
const retryFactor = 12;
const retryMaxMs = 3_600_000;

/** Results of both objects after which another attempt would end in the same way. */
const permanentResults = [
  'not enough flash memory',
  'not enough storage',
  'unsupported package type',
  'unsupported protocol',
];

export const nextStep = (
  update: DeviceUpdate,
  step: Step,
  command: WantedCommand,
  { nowMs }: AdvanceContext,
): Advance => ({
  update: { ...update, step, isCommandPending: true, dueMs: nowMs + command.expiryMs + resultSlackMs },
  command,
});

/** Schedules the next poll, at the latest for the deadline of the step. */
export const pollLater = (update: DeviceUpdate, { nowMs, pollMinMs }: AdvanceContext): Advance => {
  const pauseMs = Math.min(pollMaxMs, pollMinMs * 2 ** Math.min(update.polls, 20));
  const dueMs = Math.min(nowMs + pauseMs, update.deadlineMs ?? Infinity);
  return { update: { ...update, isCommandPending: false, polls: update.polls + 1, dueMs } };
};

export const poll = (update: DeviceUpdate, path: string, context: AdvanceContext): Advance => {
  const leftMs = (update.deadlineMs ?? Infinity) - context.nowMs;
  const expiryMs = Math.max(1_000, Math.min(answerExpiryMs, leftMs));
  return nextStep(update, update.step ?? 'download', { kind: 'read', path, expiryMs }, context);
};

export const finish = (
  update: DeviceUpdate,
  state: DeviceUpdate['state'],
  code: EndCode,
  reason: string | null = null,
): Advance => ({
  update: { ...update, state, step: null, isCommandPending: false, dueMs: null, deadlineMs: null, code, reason },
  ...(update.isCommandPending && { isCancelled: true as const }),
});

/**
 * The device has the wanted version at the beginning of an attempt: it is skipped, unless an earlier attempt, which counts as
 * failed, brought it there. The previous version is the wanted one if that attempt found software installed, and activated it.
 */
export const finishAtVersion = (update: DeviceUpdate, { version }: Goal): Advance =>
  mayHavePackage(update) || update.previousVersion === version
    ? finish(update, 'succeeded', 'SYS_112')
    : finish({ ...update, previousVersion: version }, 'skipped', 'SYS_110');

interface Failure {
  reason: string;
  isUnreachable?: boolean;
  isPermanent?: boolean;
  /** The attempt is repeated without being counted. */
  isUncounted?: boolean;
}

/** Ends a failed attempt; another one follows if the campaign allows it. */
export const failAttempt = (
  update: DeviceUpdate,
  { reason, isUnreachable = false, isPermanent = false, isUncounted = false }: Failure,
  { retries }: Goal,
  { nowMs, pollMinMs }: AdvanceContext,
): Advance => {
  if (!isUncounted && (isPermanent || update.attempt > retries))
    return finish(update, 'failed', isUnreachable ? 'SYS_100' : 'SYS_111', reason);
  const pauseMs = Math.min(retryMaxMs, retryFactor * pollMinMs * 2 ** Math.min(update.attempt - 1, 20));
  return {
    update: {
      ...update,
      state: 'waiting',
      step: null,
      attempt: isUncounted ? update.attempt - 1 : update.attempt,
      isCommandPending: false,
      deadlineMs: null,
      dueMs: nowMs + pauseMs,
      reason,
    },
    ...(update.isCommandPending && { isCancelled: true as const }),
  };
};

export const failByResult = (update: DeviceUpdate, result: number, goal: Goal, context: AdvanceContext): Advance => {
  const results: Readonly<Record<number, string>> = goal.object === 9 ? softwareResults : firmwareResults;
  const name = results[result] ?? `result ${result}`;
  return failAttempt(update, { reason: name, isPermanent: permanentResults.includes(name) }, goal, context);
};
