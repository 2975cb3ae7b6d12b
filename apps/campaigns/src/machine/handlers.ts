import type { Advance, AdvanceContext, DeviceUpdate, Goal, Step, UpdateEvent } from './device-update.js';
import { answerExpiryMs, failAttempt, nextStep, pollLater } from './outcomes.js';

export type Handler = (update: DeviceUpdate, event: UpdateEvent, goal: Goal, context: AdvanceContext) => Advance;

/** How an object installs packages. */
export interface Machine {
  /** The first command of an attempt. */
  begin(update: DeviceUpdate, context: AdvanceContext): Advance;
  handlers: Partial<Record<Step, Handler>>;
  polledPath(step: Step, update: DeviceUpdate): string;
}

/** A device that is idle in this many polls in a row has not started the download, or has lost its data. */
export const idlePollsMax = 3;

/** Steps in which the device is polled: `execute` and `activate` only while it is in doubt whether the device was reached. */
export const polledSteps: ReadonlySet<Step> = new Set(['download', 'execute', 'install', 'activate', 'verify']);

/** The reason of an attempt in which the device did not answer. */
export const noAnswer = 'no answer';

/** Refusals that another attempt would get again. */
export const permanentRefusals: ReadonlySet<string> = new Set([
  'BAD_REQUEST',
  'BAD_OPTION',
  'UNSUPPORTED_CONTENT_FORMAT',
  'NOT_ACCEPTABLE',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'RESOURCE_NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'NOT_IMPLEMENTED',
]);

export const waitForDownload = (update: DeviceUpdate, goal: Goal, context: AdvanceContext): Advance =>
  pollLater({ ...update, step: 'download', deadlineMs: context.nowMs + goal.downloadTimeoutMs, polls: 0 }, context);

export const waitForInstall = (update: DeviceUpdate, goal: Goal, context: AdvanceContext): Advance =>
  pollLater({ ...update, step: 'install', deadlineMs: context.nowMs + goal.installTimeoutMs, polls: 0 }, context);

/**
 * The device did not answer. If the command is still pending, not even its result has arrived: Kafka or the
 * device-proxy was unavailable, and the device may not have been asked. Such an attempt does not count, unless the
 * device may have got the package.
 */
export const unreachable = (update: DeviceUpdate, goal: Goal, context: AdvanceContext): Advance => {
  const isUncounted = update.isCommandPending && update.step !== 'offer';
  return failAttempt(update, { reason: noAnswer, isUnreachable: true, isUncounted }, goal, context);
};

/** The object that installs packages cannot be read: permanently, unless the device refuses only for now. */
export const unreadable: Handler = (update, event, goal, context) => {
  const reason = `object ${goal.object} cannot be read`;
  if (event.kind !== 'refused') return failAttempt(update, { reason, isPermanent: true }, goal, context);
  const { error } = event;
  return failAttempt(
    update,
    { reason: `${reason}: ${error}`, isPermanent: permanentRefusals.has(error) },
    goal,
    context,
  );
};

export const undeliverable = (update: DeviceUpdate, goal: Goal, context: AdvanceContext): Advance =>
  failAttempt(update, { reason: 'no delivery that the device supports', isPermanent: true }, goal, context);

export type Offer = (update: DeviceUpdate, goal: Goal, context: AdvanceContext) => Advance;

/** Pushes the package, or writes its URI. */
export const offerAt = (
  paths: { package: string; packageUri: string },
  update: DeviceUpdate,
  goal: Goal,
  context: AdvanceContext,
): Advance => {
  const { packageSource } = update;
  if (packageSource === null) {
    const push = { kind: 'push', path: paths.package, expiryMs: goal.downloadTimeoutMs } as const;
    return nextStep({ ...update, delivery: 'push' }, 'offer', push, context);
  }
  const write = { path: paths.packageUri, baseUrl: packageSource, expiryMs: answerExpiryMs };
  return nextStep({ ...update, delivery: 'pull' }, 'offer', { kind: 'write-uri', ...write }, context);
};

/** A step that removes what an earlier update left: the offer follows. */
export const resetHandler =
  (name: string, offer: Offer): Handler =>
  (update, event, goal, context) => {
    if (event.kind === 'unanswered') return unreachable(update, goal, context);
    if (event.kind === 'refused')
      return failAttempt(update, { reason: `${name} refused: ${event.error}` }, goal, context);
    return offer(update, goal, context);
  };

/** The device-proxy ends a push that takes too long: the device has taken blocks, so this is neither a refusal nor silence. */
const refusalOf = (error: string): string =>
  error === 'PUSH_TIMEOUT' ? 'push took too long' : `package refused: ${error}`;

/**
 * A URI whose acknowledgement was lost may have arrived. The device-proxy writes it again, which a device that downloads
 * already may refuse. The polls show which it is; the refusal, or that there was no answer, is kept as the reason until the
 * device is no longer idle.
 */
export const onOffer: Handler = (update, event, goal, context) => {
  const refusal = event.kind === 'refused' ? refusalOf(event.error) : null;
  const reason = event.kind === 'unanswered' ? noAnswer : refusal;
  if (update.delivery !== 'push') return waitForDownload({ ...update, reason }, goal, context);
  if (refusal !== null) return failAttempt(update, { reason: refusal }, goal, context);
  return event.kind === 'unanswered' ? unreachable(update, goal, context) : waitForDownload(update, goal, context);
};

/**
 * No report during the download. A poll without an answer does not count among those in which the device was idle, but
 * the pause after it is as long as after `idlePollsMax` of them.
 */
export const withoutReport: Handler = (update, event, _goal, context) => {
  if (event.kind !== 'unanswered' || update.polls >= idlePollsMax) return pollLater(update, context);
  const { update: later } = pollLater({ ...update, polls: idlePollsMax }, context);
  return { update: { ...later, polls: update.polls } };
};

/** A step begins with the execution, at 0 polls; every later answer is to a poll. */
const isPolled = ({ polls }: DeviceUpdate): boolean => polls > 0;

/**
 * The execution was not answered: the device was not reached, for example because it was asleep, or it rebooted before answering.
 * The device is polled, and the execution is repeated if it had no effect, all within the time of an installation.
 */
const inDoubt = (update: DeviceUpdate, goal: Goal, context: AdvanceContext): Advance => {
  const { deadlineMs } = update;
  return pollLater({ ...update, polls: 0, deadlineMs: deadlineMs ?? context.nowMs + goal.installTimeoutMs }, context);
};

/** A step that executes a resource: `next` follows the answer, `onReport` handles the polls after a missing answer. */
export const executionHandler =
  (name: string, next: typeof waitForInstall, onReport: Handler): Handler =>
  (update, event, goal, context) => {
    if (isPolled(update))
      return event.kind === 'answered' ? onReport(update, event, goal, context) : pollLater(update, context);
    if (event.kind === 'refused')
      return failAttempt(update, { reason: `${name} refused: ${event.error}` }, goal, context);
    return event.kind === 'unanswered' ? inDoubt(update, goal, context) : next(update, goal, context);
  };
