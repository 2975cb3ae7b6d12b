import { deliveryFor } from './delivery.js';
import type { Advance, Circumstances, DeviceUpdate, Goal, Report, Step, UpdateEvent } from './device-update.js';
import { answerExpiryMs, failAttempt, failByResult, finish, nextStep, poll, pollLater } from './outcomes.js';

export const versionPath = '/3/0/3';
export const objectPath = '/5/0';

/** Resource /5/0/3. */
const states = { idle: 0, downloading: 1, downloaded: 2, updating: 3 } as const;

/** Resource /5/0/5: 0 nothing yet, 1 success, everything above a failure. */
const success = 1;

/** A device that is idle at so many polls in a row has not begun to download, or has lost what it had. */
const idlePollsMax = 3;

type Handler = (update: DeviceUpdate, event: UpdateEvent, goal: Goal, now: Circumstances) => Advance;

const offer = (update: DeviceUpdate, goal: Goal, now: Circumstances): Advance => {
  const { delivery, packageSource } = update;
  if (delivery === 'push' || packageSource === null)
    return nextStep(update, 'offer', { kind: 'push', expiryMs: goal.downloadTimeoutMs }, now);
  return nextStep(update, 'offer', { kind: 'write-uri', baseUrl: packageSource, expiryMs: answerExpiryMs }, now);
};

const download = (update: DeviceUpdate, goal: Goal, now: Circumstances): Advance =>
  pollLater({ ...update, step: 'download', deadlineMs: now.nowMs + goal.downloadTimeoutMs, polls: 0 }, now);

const install = (update: DeviceUpdate, goal: Goal, now: Circumstances): Advance =>
  pollLater({ ...update, step: 'install', deadlineMs: now.nowMs + goal.installTimeoutMs, polls: 0 }, now);

const unreachable = (update: DeviceUpdate, goal: Goal, now: Circumstances): Advance =>
  failAttempt(update, 'no answer', goal, now, { isUnreachable: true });

const onVersion: Handler = (update, event, goal, now) => {
  if (event.kind === 'unanswered') return unreachable(update, goal, now);
  const version = event.kind === 'answered' ? event.report.version : undefined;
  if (version === goal.version) return finish({ ...update, previousVersion: version }, 'skipped', 'SYS_110');
  const read = { kind: 'read', path: objectPath, expiryMs: answerExpiryMs } as const;
  return nextStep({ ...update, previousVersion: version ?? null }, 'read-object', read, now);
};

const onObject: Handler = (update, event, goal, now) => {
  if (event.kind === 'unanswered') return unreachable(update, goal, now);
  const unsupported = (reason: string): Advance => failAttempt(update, reason, goal, now, { isPermanent: true });
  if (event.kind !== 'answered' || event.report.state === undefined)
    return unsupported(`object 5 cannot be read${event.kind === 'refused' ? `: ${event.error}` : ''}`);
  const { report } = event;
  if (report.state === states.updating) return failAttempt(update, 'another update is under way', goal, now);
  const chosen = deliveryFor(report, goal, now);
  if (!chosen) return unsupported('no delivery that the device supports');
  const ready = { ...update, ...chosen };
  if (report.state === states.idle) return offer(ready, goal, now);
  return nextStep(ready, 'reset', { kind: 'reset', delivery: chosen.delivery, expiryMs: answerExpiryMs }, now);
};

const onReset: Handler = (update, event, goal, now) => {
  if (event.kind === 'unanswered') return unreachable(update, goal, now);
  if (event.kind === 'refused') return failAttempt(update, `reset refused: ${event.error}`, goal, now);
  return offer(update, goal, now);
};

/** A URI whose acknowledgement was lost may have arrived: the polls tell. */
const onOffer: Handler = (update, event, goal, now) => {
  if (event.kind === 'refused') return failAttempt(update, `package refused: ${event.error}`, goal, now);
  if (event.kind === 'unanswered' && update.delivery === 'push') return unreachable(update, goal, now);
  return download(update, goal, now);
};

const onIdle = (update: DeviceUpdate, result: number, goal: Goal, now: Circumstances): Advance => {
  if (result > success) return failByResult(update, result, goal, now);
  if (update.polls >= idlePollsMax) return failAttempt(update, 'download lost', goal, now);
  return pollLater(update, now);
};

const whileDownloading = (update: DeviceUpdate, report: Report, goal: Goal, now: Circumstances): Advance => {
  switch (report.state) {
    case states.idle:
      return onIdle(update, report.result ?? 0, goal, now);
    case states.downloaded:
      return nextStep(update, 'execute', { kind: 'execute', expiryMs: answerExpiryMs }, now);
    case states.updating:
      return install(update, goal, now);
    default:
      return pollLater(update, now);
  }
};

const onDownload: Handler = (update, event, goal, now) =>
  event.kind === 'answered' ? whileDownloading(update, event.report, goal, now) : pollLater(update, now);

/** The answer may have been lost in the reboot. */
const onExecute: Handler = (update, event, goal, now) =>
  event.kind === 'refused'
    ? failAttempt(update, `update refused: ${event.error}`, goal, now)
    : install(update, goal, now);

const onInstall: Handler = (update, event, goal, now) => {
  if (event.kind !== 'answered') return pollLater(update, now);
  const { state, result = 0 } = event.report;
  if (result > success) return failByResult(update, result, goal, now);
  if (state !== states.idle) return pollLater(update, now);
  if (result === success) return finish(update, 'succeeded', 'SYS_112');
  return poll({ ...update, step: 'verify' }, versionPath, now);
};

/** A device that forgets the result in its reboot is known by its version. */
const onVerify: Handler = (update, event, goal, now) => {
  if (event.kind !== 'answered') return pollLater(update, now);
  if (event.report.version === goal.version) return finish(update, 'succeeded', 'SYS_112');
  return failAttempt(update, `not installed: the version is ${event.report.version ?? 'unknown'}`, goal, now);
};

const handlers: Record<Step, Handler> = {
  'read-version': onVersion,
  'read-object': onObject,
  reset: onReset,
  offer: onOffer,
  download: onDownload,
  execute: onExecute,
  install: onInstall,
  verify: onVerify,
};

const polledPath: Partial<Record<Step, string>> = {
  download: objectPath,
  install: objectPath,
  verify: versionPath,
};

const start = (update: DeviceUpdate, now: Circumstances): Advance => {
  const started = { ...update, state: 'updating' as const, attempt: update.attempt + 1, polls: 0, reason: null };
  return nextStep(started, 'read-version', { kind: 'read', path: versionPath, expiryMs: answerExpiryMs }, now);
};

/** Nothing has come, or it is time to look again. */
const onDue = (update: DeviceUpdate, step: Step, goal: Goal, now: Circumstances): Advance => {
  const { deadlineMs, isAsked } = update;
  if (deadlineMs !== null && now.nowMs >= deadlineMs) return failAttempt(update, `${step} took too long`, goal, now);
  if (isAsked) return handlers[step](update, { kind: 'unanswered' }, goal, now);
  return poll(update, polledPath[step] ?? objectPath, now);
};

/** What an event means for the update of a device. Pure: time and configuration are given. */
export const advance = (update: DeviceUpdate, event: UpdateEvent, goal: Goal, now: Circumstances): Advance => {
  const { state, step } = update;
  if (event.kind === 'ended') return finish(update, event.state, event.code, event.reason);
  if (event.kind === 'started') return state === 'waiting' ? start(update, now) : { update };
  if (state !== 'updating' || step === null) return { update };
  if (event.kind === 'due') return onDue(update, step, goal, now);
  if (event.kind === 'registered')
    return update.isAsked || !(step in polledPath) ? { update } : { update: { ...update, dueMs: now.nowMs } };
  return handlers[step]({ ...update, isAsked: false }, event, goal, now);
};
