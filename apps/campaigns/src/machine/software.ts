import { deliveryFor } from './delivery.js';
import type { Advance, AdvanceContext, DeviceUpdate, Goal, SoftwareInstance, UpdateEvent } from './device-update.js';
import {
  executionHandler,
  type Handler,
  idlePollsMax,
  type Machine,
  type Offer,
  offerAt,
  onOffer,
  permanentRefusals,
  resetHandler,
  undeliverable,
  unreachable,
  unreadable,
  waitForInstall,
  withoutReport,
} from './handlers.js';
import { answerExpiryMs, failAttempt, failByResult, finish, finishAtVersion, nextStep, pollLater } from './outcomes.js';

const objectPath = '/9';

/** Resource /9/n/7. */
const states = { initial: 0, downloadStarted: 1, downloaded: 2, delivered: 3, installed: 4 } as const;

/** Resource /9/n/9: from here on, failures. */
const failureMin = 50;

/** Argument of Uninstall: another version of the package follows. */
const forUpdate = '1';

/** Creates in one attempt. The second follows if the first was not answered, and has not had any effect. */
const createsMax = 2;

/** Sentinel in place of the number of Creates: the device has answered one, and is not asked for another. */
const createAnswered = createsMax + 1;

/** Refusals of a Create by devices that do not read TLV, or choose the number of an instance themselves. */
const formatRefusals: ReadonlySet<string> = new Set(['BAD_REQUEST', 'UNSUPPORTED_CONTENT_FORMAT']);

const pathOf = ({ instance }: DeviceUpdate, resource?: number): string =>
  [objectPath, instance ?? 0, ...(resource === undefined ? [] : [resource])].join('/');

const resources = { package: 2, packageUri: 3, install: 4, uninstall: 6, activate: 10 } as const;

/** In the steps `read-object` and `create`, `polls` is the number of Creates in this attempt, or `createAnswered`. */
const readObject = (update: DeviceUpdate, context: AdvanceContext, creates: number): Advance =>
  nextStep(
    { ...update, polls: creates },
    'read-object',
    { kind: 'read', path: objectPath, expiryMs: answerExpiryMs },
    context,
  );

/** An instance whose number the server chooses cannot be created twice. `instance`: null lets the device choose the number. */
const create = (update: DeviceUpdate, instance: number | null, context: AdvanceContext): Advance => {
  const command = { kind: 'create', path: objectPath, instance, expiryMs: answerExpiryMs } as const;
  return nextStep({ ...update, instance }, 'create', command, context);
};

const offer: Offer = (update, goal, context) => {
  const paths = { package: pathOf(update, resources.package), packageUri: pathOf(update, resources.packageUri) };
  return offerAt(paths, update, goal, context);
};

const execute = (
  update: DeviceUpdate,
  step: 'reset' | 'execute' | 'activate',
  context: AdvanceContext,
  argument?: string,
): Advance => {
  const resource = { reset: resources.uninstall, execute: resources.install, activate: resources.activate }[step];
  const command = { kind: 'execute', path: pathOf(update, resource), expiryMs: answerExpiryMs } as const;
  return nextStep({ ...update, polls: 0 }, step, { ...command, ...(argument !== undefined && { argument }) }, context);
};

const hasVersion = ({ state, version }: SoftwareInstance, goal: Goal): boolean =>
  state === states.installed && version === goal.version;

/**
 * An instance that has the package's name: if there are several, one with the wanted version, preferably active. Else the
 * one that an earlier attempt used before it had a name, else a free one, else one without a name whose package has failed.
 */
const instanceFor = (
  all: readonly SoftwareInstance[],
  goal: Goal,
  { instance: used }: DeviceUpdate,
): SoftwareInstance | undefined => {
  const named = all.filter(({ name }) => name === goal.packageName);
  const ready = named.filter((one) => hasVersion(one, goal));
  return (
    ready.find(({ isActive }) => isActive) ??
    ready[0] ??
    named[0] ??
    all.find(({ instance, name }) => instance === used && !name) ??
    all.find(({ state, name }) => state === states.initial && !name) ??
    all.find(({ result = 0, name }) => result >= failureMin && !name)
  );
};

/** Some devices answer that an object without instances is not found. undefined: the answer lists no instances. */
const instancesIn = (event: UpdateEvent): readonly SoftwareInstance[] | undefined => {
  if (event.kind === 'refused' && event.error === 'RESOURCE_NOT_FOUND') return [];
  return event.kind === 'answered' ? event.report.software : undefined;
};

const unusedNumber = (all: readonly SoftwareInstance[]): number => {
  const used = new Set(all.map(({ instance }) => instance));
  let number = 0;
  while (used.has(number)) number++;
  return number;
};

/** The package is installed, and must also be active. */
const ensureActive = (update: DeviceUpdate, { isActive }: SoftwareInstance, context: AdvanceContext): Advance =>
  isActive ? finish(update, 'succeeded', 'SYS_112') : execute({ ...update, deadlineMs: null }, 'activate', context);

/** The update in the instance that was found. A version that an earlier attempt has removed from it stays the previous one. */
const withInstance = (update: DeviceUpdate, { instance, state, version }: SoftwareInstance): DeviceUpdate => ({
  ...update,
  instance,
  previousVersion: state === states.installed ? (version ?? null) : update.previousVersion,
});

/**
 * The device still has the version that is to be replaced, so it has not begun. An instance without a version does not
 * count, because it may already have the new package.
 */
const isUntouched = ({ previousVersion }: DeviceUpdate, { state, version }: SoftwareInstance, goal: Goal): boolean =>
  state === states.installed && version === previousVersion && version !== '' && version !== goal.version;

/** Prepares an instance that does not have the wanted version for the package. */
const prepare = (update: DeviceUpdate, { state }: SoftwareInstance, goal: Goal, context: AdvanceContext): Advance => {
  if (state === states.initial) return offer(update, goal, context);
  return execute(update, 'reset', context, state === states.installed ? forUpdate : undefined);
};

const createFree = (
  update: DeviceUpdate,
  all: readonly SoftwareInstance[],
  goal: Goal,
  context: AdvanceContext,
): Advance => {
  if (update.polls >= createsMax) {
    const reason = 'no instance of object 9 is free, and the device has created none';
    return failAttempt(update, { reason, isPermanent: update.polls === createAnswered }, goal, context);
  }
  return create({ ...update, polls: update.polls + 1 }, unusedNumber(all), context);
};

const onObject: Handler = (update, event, goal, context) => {
  if (event.kind === 'unanswered') return unreachable(update, goal, context);
  const all = instancesIn(event);
  if (!all) return unreadable(update, event, goal, context);
  const found = instanceFor(all, goal, update);
  const known = found ? withInstance(update, found) : update;
  if (found && hasVersion(found, goal))
    return found.isActive
      ? finishAtVersion({ ...update, instance: found.instance }, goal)
      : execute(known, 'activate', context);
  // Object 9 does not say which deliveries it supports.
  const chosen = deliveryFor({}, goal, context);
  if (!chosen) return undeliverable(update, goal, context);
  const ready: DeviceUpdate = { ...known, packageSource: chosen.packageSource };
  return found ? prepare(ready, found, goal, context) : createFree(ready, all, goal, context);
};

/**
 * After a Create, answered or not, the device says which instances it has. A device that refuses a repeated Create may have
 * the instance since the first one: so the number is left to the device only after a refusal of the first Create.
 */
const onCreate: Handler = (update, event, goal, context) => {
  const withoutInstance = { ...update, instance: null };
  if (event.kind === 'unanswered') return readObject(withoutInstance, context, update.polls);
  if (event.kind !== 'refused') return readObject(withoutInstance, context, createAnswered);
  const { error } = event;
  if (update.instance !== null && formatRefusals.has(error))
    return update.polls > 1 ? readObject(withoutInstance, context, createAnswered) : create(update, null, context);
  const reason = `no instance of object 9 is free, and none can be created: ${error}`;
  return failAttempt(update, { reason, isPermanent: permanentRefusals.has(error) }, goal, context);
};

const reportedBy = (update: DeviceUpdate, event: Parameters<Handler>[1]): SoftwareInstance | undefined =>
  event.kind === 'answered' ? event.report.software?.find(({ instance }) => instance === update.instance) : undefined;

/** If the device has refused the package, or did not answer, its result may be that of an earlier package. */
const onInitial = (update: DeviceUpdate, result: number, goal: Goal, context: AdvanceContext): Advance => {
  const { reason: refusal } = update;
  if (result >= failureMin && refusal === null) return failByResult(update, result, goal, context);
  if (update.polls < idlePollsMax) return pollLater(update, context);
  return failAttempt(update, { reason: refusal ?? 'download lost' }, goal, context);
};

const onDownload: Handler = (update, event, goal, context) => {
  const reported = reportedBy(update, event);
  if (!reported) return withoutReport(update, event, goal, context);
  const { state, result = 0 } = reported;
  if (state === states.initial || isUntouched(update, reported, goal)) return onInitial(update, result, goal, context);
  const withoutRefusal = { ...update, reason: null };
  if (result >= failureMin) return failByResult(withoutRefusal, result, goal, context);
  if (state === states.delivered) return execute({ ...withoutRefusal, deadlineMs: null }, 'execute', context);
  if (state === states.installed) return ensureActive(withoutRefusal, reported, context);
  return pollLater(withoutRefusal, context);
};

const onInstall: Handler = (update, event, goal, context) => {
  const reported = reportedBy(update, event);
  if (!reported) return pollLater(update, context);
  const { state, result = 0 } = reported;
  if (result >= failureMin) return failByResult(update, result, goal, context);
  if (state !== states.installed || isUntouched(update, reported, goal)) return pollLater(update, context);
  return ensureActive(update, reported, context);
};

const onExecute = executionHandler('update', waitForInstall, (update, event, goal, context) => {
  const reported = reportedBy(update, event);
  if (!reported) return pollLater(update, context);
  const { state, result = 0 } = reported;
  if (state === states.delivered && result < failureMin) return execute(update, 'execute', context);
  return onInstall(waitForInstall(update, goal, context).update, event, goal, context);
});

const verify = (update: DeviceUpdate, goal: Goal, context: AdvanceContext): Advance =>
  pollLater({ ...update, step: 'verify', deadlineMs: context.nowMs + goal.installTimeoutMs, polls: 0 }, context);

const onVerify: Handler = (update, event, goal, context) => {
  const reported = reportedBy(update, event);
  if (!reported?.isActive) return pollLater(update, context);
  const { version = goal.version } = reported;
  if (version === goal.version) return finish(update, 'succeeded', 'SYS_112');
  return failAttempt(update, { reason: `not installed: the version is ${version}` }, goal, context);
};

const onActivate = executionHandler('activation', verify, (update, event, goal, context) => {
  const reported = reportedBy(update, event);
  if (!reported) return pollLater(update, context);
  return reported.isActive
    ? onVerify(verify(update, goal, context).update, event, goal, context)
    : execute(update, 'activate', context);
});

/** Software Management, object 9: an instance for each package, which is installed and activated. */
export const softwareMachine: Machine = {
  begin: (update, context) => readObject(update, context, 0),
  handlers: {
    'read-object': onObject,
    create: onCreate,
    reset: resetHandler('uninstall', offer),
    offer: onOffer,
    download: onDownload,
    execute: onExecute,
    install: onInstall,
    activate: onActivate,
    verify: onVerify,
  },
  // A replica of an older version, which does not know the step `create`, leaves it without a pending command.
  polledPath: (step, update) => (step === 'create' ? objectPath : pathOf(update)),
};
