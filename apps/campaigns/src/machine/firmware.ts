import { deliveryFor } from './delivery.js';
import type { Advance, Circumstances, DeviceUpdate, Goal, Report } from './device-update.js';
import {
  executing,
  type Handler,
  idlePollsMax,
  install,
  type Machine,
  onOffer,
  undeliverable,
  unreachable,
  unreadable,
} from './handlers.js';
import { answerExpiryMs, failAttempt, failByResult, finish, nextStep, poll, pollLater } from './outcomes.js';

export const versionPath = '/3/0/3';
const objectPath = '/5/0';
const paths = { package: '/5/0/0', packageUri: '/5/0/1', update: '/5/0/2' } as const;

/** Resource /5/0/3. */
const states = { idle: 0, downloading: 1, downloaded: 2, updating: 3 } as const;

/** Resource /5/0/5: 0 nothing yet, 1 success, 11 put off for now, everything else a failure. */
const success = 1;
const deferred = 11;

const isFailure = (result: number): boolean => result > success && result !== deferred;

const offer = (update: DeviceUpdate, goal: Goal, now: Circumstances): Advance => {
  const { delivery, packageSource } = update;
  if (delivery === 'push' || packageSource === null)
    return nextStep(update, 'offer', { kind: 'push', path: paths.package, expiryMs: goal.downloadTimeoutMs }, now);
  const { packageUri: path } = paths;
  return nextStep(update, 'offer', { kind: 'write-uri', path, baseUrl: packageSource, expiryMs: answerExpiryMs }, now);
};

const execute = (update: DeviceUpdate, now: Circumstances): Advance =>
  nextStep({ ...update, polls: 0 }, 'execute', { kind: 'execute', path: paths.update, expiryMs: answerExpiryMs }, now);

const onVersion: Handler = (update, event, goal, now) => {
  if (event.kind === 'unanswered') return unreachable(update, goal, now);
  const version = event.kind === 'answered' ? event.report.version : undefined;
  if (version === goal.version) return finish({ ...update, previousVersion: version }, 'skipped', 'SYS_110');
  const read = { kind: 'read', path: objectPath, expiryMs: answerExpiryMs } as const;
  return nextStep({ ...update, previousVersion: version ?? null }, 'read-object', read, now);
};

const onObject: Handler = (update, event, goal, now) => {
  if (event.kind === 'unanswered') return unreachable(update, goal, now);
  if (event.kind !== 'answered' || event.report.state === undefined) return unreadable(update, event, goal, now);
  const { report } = event;
  if (report.state === states.updating)
    return failAttempt(update, { reason: 'another update is under way' }, goal, now);
  const chosen = deliveryFor(report, goal, now);
  if (!chosen) return undeliverable(update, goal, now);
  const ready = { ...update, ...chosen };
  if (report.state === states.idle) return offer(ready, goal, now);
  const { delivery } = chosen;
  const path = delivery === 'pull' ? paths.packageUri : paths.package;
  return nextStep(ready, 'reset', { kind: 'reset', path, delivery, expiryMs: answerExpiryMs }, now);
};

const onReset: Handler = (update, event, goal, now) => {
  if (event.kind === 'unanswered') return unreachable(update, goal, now);
  if (event.kind === 'refused') return failAttempt(update, { reason: `reset refused: ${event.error}` }, goal, now);
  return offer(update, goal, now);
};

/**
 * Since version 1.2 of the object, a device may install the package without an execution (resource 14). The result of a
 * device that has refused the package may be that of an earlier update: a failure counts for nothing, and a success only if
 * the version is the wanted one.
 */
const onIdle = (update: DeviceUpdate, result: number, goal: Goal, now: Circumstances): Advance => {
  const { reason: refusal } = update;
  if (isFailure(result) && refusal === null) return failByResult(update, result, goal, now);
  if (update.polls < idlePollsMax) return pollLater(update, now);
  if (result === success) return poll({ ...update, step: 'verify' }, versionPath, now);
  return failAttempt(update, { reason: refusal ?? 'download lost' }, goal, now);
};

const whileDownloading = (update: DeviceUpdate, report: Report, goal: Goal, now: Circumstances): Advance => {
  if (report.state === states.idle) return onIdle(update, report.result ?? 0, goal, now);
  const taking = { ...update, reason: null };
  switch (report.state) {
    case states.downloaded:
      return execute({ ...taking, deadlineMs: null }, now);
    case states.updating:
      return install(taking, goal, now);
    default:
      return pollLater(taking, now);
  }
};

const onDownload: Handler = (update, event, goal, now) =>
  event.kind === 'answered' ? whileDownloading(update, event.report, goal, now) : pollLater(update, now);

const onInstall: Handler = (update, event, goal, now) => {
  if (event.kind !== 'answered') return pollLater(update, now);
  const { state, result = 0 } = event.report;
  if (isFailure(result)) return failByResult(update, result, goal, now);
  if (state !== states.idle) return pollLater(update, now);
  if (result === success) return finish(update, 'succeeded', 'SYS_112');
  return poll({ ...update, step: 'verify' }, versionPath, now);
};

const onExecute = executing('update', install, (update, event, goal, now) => {
  const { state, result = 0 } = event.kind === 'answered' ? event.report : {};
  if (state === states.downloaded && result === 0) return execute(update, now);
  return onInstall(install(update, goal, now).update, event, goal, now);
});

/** A device that forgets the result in its reboot is known by its version. */
const onVerify: Handler = (update, event, goal, now) => {
  if (event.kind !== 'answered') return pollLater(update, now);
  if (event.report.version === goal.version) return finish(update, 'succeeded', 'SYS_112');
  const { version = 'unknown' } = event.report;
  const { reason: refusal } = update;
  return failAttempt(update, { reason: refusal ?? `not installed: the version is ${version}` }, goal, now);
};

/** Firmware Update, object 5 (LwM2M 1.1 core appendix E.6). */
export const firmwareMachine: Machine = {
  begin: (update, now) =>
    nextStep(update, 'read-version', { kind: 'read', path: versionPath, expiryMs: answerExpiryMs }, now),
  handlers: {
    'read-version': onVersion,
    'read-object': onObject,
    reset: onReset,
    offer: onOffer,
    download: onDownload,
    execute: onExecute,
    install: onInstall,
    verify: onVerify,
  },
  polledPath: (step) => (step === 'verify' ? versionPath : objectPath),
};
