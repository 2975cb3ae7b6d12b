import { deliveryFor } from './delivery.js';
import type { Advance, AdvanceContext, DeviceUpdate, Goal, Report } from './device-update.js';
import {
  executionHandler,
  type Handler,
  idlePollsMax,
  type Machine,
  type Offer,
  offerAt,
  onOffer,
  resetHandler,
  undeliverable,
  unreachable,
  unreadable,
  waitForInstall,
  withoutReport,
} from './handlers.js';
import {
  answerExpiryMs,
  failAttempt,
  failByResult,
  finish,
  finishAtVersion,
  nextStep,
  poll,
  pollLater,
} from './outcomes.js';

export const versionPath = '/3/0/3';
const objectPath = '/5/0';
const paths = { package: '/5/0/0', packageUri: '/5/0/1', update: '/5/0/2' } as const;

/** Resource /5/0/3. */
const states = { idle: 0, downloading: 1, downloaded: 2, updating: 3 } as const;

/** Values of /5/0/5: 0 is the initial value; all values but 0 and these two are failures. */
const success = 1;
const deferred = 11;

const isFailure = (result: number): boolean => result > success && result !== deferred;

const offer: Offer = (update, goal, context) => offerAt(paths, update, goal, context);

const execute = (update: DeviceUpdate, context: AdvanceContext): Advance =>
  nextStep(
    { ...update, polls: 0 },
    'execute',
    { kind: 'execute', path: paths.update, expiryMs: answerExpiryMs },
    context,
  );

const onVersion: Handler = (update, event, goal, context) => {
  if (event.kind === 'unanswered') return unreachable(update, goal, context);
  const version = event.kind === 'answered' ? event.report.version : undefined;
  if (version === goal.version) return finishAtVersion(update, goal);
  const read = { kind: 'read', path: objectPath, expiryMs: answerExpiryMs } as const;
  return nextStep({ ...update, previousVersion: version ?? null }, 'read-object', read, context);
};

const onObject: Handler = (update, event, goal, context) => {
  if (event.kind === 'unanswered') return unreachable(update, goal, context);
  if (event.kind !== 'answered' || event.report.state === undefined) return unreadable(update, event, goal, context);
  const { report } = event;
  if (report.state === states.updating)
    return failAttempt(update, { reason: 'another update is under way' }, goal, context);
  const chosen = deliveryFor(report, goal, context);
  if (!chosen) return undeliverable(update, goal, context);
  const { delivery, packageSource } = chosen;
  const ready = { ...update, packageSource };
  if (report.state === states.idle) return offer(ready, goal, context);
  const path = delivery === 'pull' ? paths.packageUri : paths.package;
  return nextStep(ready, 'reset', { kind: 'reset', path, delivery, expiryMs: answerExpiryMs }, context);
};

/**
 * Since version 1.2 of the object, a device may install the package without an execution (resource 14). The result of a
 * device that has refused the package, or did not answer, may be that of an earlier update: a failure is ignored, and a
 * success counts only if the version is the wanted one.
 */
const onIdle = (update: DeviceUpdate, result: number, goal: Goal, context: AdvanceContext): Advance => {
  const { reason: refusal } = update;
  if (isFailure(result) && refusal === null) return failByResult(update, result, goal, context);
  if (update.polls < idlePollsMax) return pollLater(update, context);
  if (result === success) return poll({ ...update, step: 'verify' }, versionPath, context);
  return failAttempt(update, { reason: refusal ?? 'download lost' }, goal, context);
};

const whileDownloading = (update: DeviceUpdate, report: Report, goal: Goal, context: AdvanceContext): Advance => {
  if (report.state === states.idle) return onIdle(update, report.result ?? 0, goal, context);
  const withoutRefusal = { ...update, reason: null };
  switch (report.state) {
    case states.downloaded:
      return execute({ ...withoutRefusal, deadlineMs: null }, context);
    case states.updating:
      return waitForInstall(withoutRefusal, goal, context);
    default:
      return pollLater(withoutRefusal, context);
  }
};

const onDownload: Handler = (update, event, goal, context) =>
  event.kind === 'answered'
    ? whileDownloading(update, event.report, goal, context)
    : withoutReport(update, event, goal, context);

const onInstall: Handler = (update, event, goal, context) => {
  if (event.kind !== 'answered') return pollLater(update, context);
  const { state, result = 0 } = event.report;
  if (isFailure(result)) return failByResult(update, result, goal, context);
  if (state !== states.idle) return pollLater(update, context);
  if (result === success) return finish(update, 'succeeded', 'SYS_112');
  return poll({ ...update, step: 'verify' }, versionPath, context);
};

const onExecute = executionHandler('update', waitForInstall, (update, event, goal, context) => {
  const { state, result = 0 } = event.kind === 'answered' ? event.report : {};
  if (state === states.downloaded && result === 0) return execute(update, context);
  return onInstall(waitForInstall(update, goal, context).update, event, goal, context);
});

/** For a device that forgets the result in its reboot, the version decides. */
const onVerify: Handler = (update, event, goal, context) => {
  if (event.kind !== 'answered') return pollLater(update, context);
  if (event.report.version === goal.version) return finish(update, 'succeeded', 'SYS_112');
  const { version = 'unknown' } = event.report;
  const { reason: refusal } = update;
  return failAttempt(update, { reason: refusal ?? `not installed: the version is ${version}` }, goal, context);
};

/** Firmware Update, object 5 (LwM2M 1.1 core appendix E.6). */
export const firmwareMachine: Machine = {
  begin: (update, context) =>
    nextStep(update, 'read-version', { kind: 'read', path: versionPath, expiryMs: answerExpiryMs }, context),
  handlers: {
    'read-version': onVersion,
    'read-object': onObject,
    reset: resetHandler('reset', offer),
    offer: onOffer,
    download: onDownload,
    execute: onExecute,
    install: onInstall,
    verify: onVerify,
  },
  polledPath: (step) => (step === 'verify' ? versionPath : objectPath),
};
