import { type ResourceValueArrived, uidOf } from '@lanyard/contracts';
import { type Logger, LOGGER, Tracing } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DownlinkClient, type DeviceReply, type OnSent } from '../downlink/downlink-client.js';
import {
  bringsNoChange,
  bringsValues,
  isComposite,
  isRepeatable,
  type Operation,
  operationOf,
} from '../downlink/operation.js';
import { formatOf } from '../downlink/formats.js';
import { createdPath, pathsFormat } from '../downlink/requests.js';
import { type Observed, Observer } from '../observations/observer.js';
import { attributesIn, takesAttributes, takesComposites, type Target, targetKey } from '../sessions/observations.js';
import { Values } from '../observations/values.js';
import type { AnswerWithValue } from '../sessions/pending-subscriber.js';
import { itemOf } from './facts.js';
import { PackageOffers } from './package-offers.js';
import type { Session } from '../sessions/session.js';
import { Sessions } from '../sessions/sessions.js';
import { Interest } from '../interest/interest.js';
import { isAskedByRule } from '../interest/subscription.entity.js';
import { SubscriptionAnswer } from './subscription-answer.js';
import {
  BodyUnavailable,
  ConnectionEnded,
  NoAnswer,
  NotSendable,
  NotSent,
  Refused,
  RequestAborted,
} from '../transport/device-link.js';
import { unanswered } from './command-ends.js';
import type { Command } from './command.entity.js';
import { attemptsWhenConnectionsEndMin, packagePauseMs, retryPauseMs } from './limits.js';
import {
  attributesNotOffered,
  connectionFailed,
  inDoubt,
  notConnected,
  notObservable,
  notOffered,
  notSendable,
  type Outcome,
  outcomeOf,
  subscriptionRemoved,
  timeout,
  withRepetitionNote,
} from './outcome.js';

/**
 * `done`: how the command ended, with the `values` that were read. `again`: the command returns to the queue, and the
 * attempt counts or not; it is retried after `pauseMs` (unless that is 0) or when the device sends a message.
 */
export type ExecutionResult =
  { done: Outcome; values?: ResourceValueArrived[] } | { again: 'counted' | 'not counted'; pauseMs: number };

/** Sends the request of a command to the device, and decides the outcome of the command. */
@Injectable()
export class CommandExecution {
  constructor(
    private readonly sessions: Sessions,
    private readonly downlink: DownlinkClient,
    private readonly observer: Observer,
    private readonly values: Values,
    private readonly interest: Interest,
    private readonly packages: PackageOffers,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly tracing: Tracing,
  ) {}

  /** Never rejects: a failure is also a result. */
  async execute(session: Session, command: Command): Promise<ExecutionResult> {
    const { method, path, attempts } = command;
    const span = this.tracing.follow(command.traceParent, 'device-proxy command', {
      kind: 'client',
      attributes: { 'lanyard.method': method, 'lanyard.path': path, 'lanyard.attempt': attempts },
    });
    const result = await this.attempt(session, command);
    span?.end('again' in result ? 'no answer: will be retried' : result.done.error);
    const { id: commandId, deviceId, requestId } = command;
    const ended = 'done' in result ? { status: result.done.status, error: result.done.error } : { again: true };
    this.logger.debug({ requestId, commandId, deviceId, attempts, ...ended }, 'command carried out');
    return result;
  }

  private async attempt(session: Session, command: Command): Promise<ExecutionResult> {
    try {
      const values: ResourceValueArrived[] = [];
      const outcome = await this.perform(session, command, values);
      const again = command.attempts > 1 && !bringsNoChange(operationOf(command));
      return { done: again ? withRepetitionNote(outcome, command.attempts) : outcome, values };
    } catch (error) {
      return this.withoutAnswer(session, command, error);
    }
  }

  /** @param facts collects the values that were read */
  private async perform(session: Session, command: Command, facts: ResourceValueArrived[]): Promise<Outcome> {
    const { downlink, values } = this;
    const operation = operationOf(command);
    const { sealedTicket } = command;
    if (sealedTicket !== null)
      return this.clearingNotified(session, operation, () =>
        this.packages.offer(session, command, sealedTicket, this.logSent(command)),
      );
    if (operation === 'observe') return this.subscribe(session, command);
    if (isComposite(operation) && !takesComposites(session.data)) return notOffered;
    if (operation === 'observe-composite') return this.subscribeComposite(session, command);
    const reply = await this.clearingNotified(session, operation, () =>
      downlink.request(session, { operation, ...command }, this.logSent(command)),
    );
    if (operation === 'read' && reply.code === '2.05')
      await values.report(session, { path: command.path, ...reply, cause: 'read', audience: [], facts });
    if (operation === 'read-composite' && reply.code === '2.05')
      await values.reportEach(session, reply, { cause: 'read', audienceOf: () => [], facts });
    if (operation === 'delete' && reply.code === '2.02') await this.recordDeletion(session, command.path);
    if (operation === 'create' && reply.code === '2.01') await this.recordInstance(session, reply);
    return outcomeOf(reply);
  }

  /** Commands may use the new instance at once. The device has created it, even if recording it fails. */
  private async recordInstance(session: Session, { location = [] }: DeviceReply): Promise<void> {
    const { sessions, logger } = this;
    const path = createdPath(session.data.rootPath, location);
    if (path === undefined) return;
    await sessions.addLink(session, path).catch((error: unknown) => {
      logger.warn(
        { err: error, deviceId: session.deviceId, path },
        'new instance not known until the device updates its registration',
      );
    });
  }

  /** The device has deleted the instance, even if recording that fails. */
  private async recordDeletion(session: Session, path: string): Promise<void> {
    await this.observer.deleted(session, path).catch((error: unknown) => {
      this.logger.warn(
        { err: error, deviceId: session.deviceId, path },
        'observations of a deleted instance not removed',
      );
    });
  }

  /** Forgets the notified values, because a value that was notified before or during a change may be the old one. */
  private async clearingNotified<T>(session: Session, operation: Operation, request: () => Promise<T>): Promise<T> {
    if (bringsNoChange(operation)) return request();
    session.notified.clear();
    try {
      return await request();
    } finally {
      session.notified.clear();
    }
  }

  /**
   * The path is observed once for all subscribers with the same attributes; each later subscriber gets the current value by
   * a read.
   */
  private async subscribe(session: Session, command: Command): Promise<Outcome> {
    const { path, keyId, query } = command;
    const attributes = attributesIn(query);
    const key = targetKey({ path, attributes });
    if (attributes !== undefined && !takesAttributes(session.data)) return attributesNotOffered;
    const rows = await this.interest.load(session);
    const subscribed = rows.filter((row) => row.together === null && targetKey(row) === key);
    if (!subscribed.some((row) => row.keyId === keyId)) return subscriptionRemoved;
    const pending = this.beginAnswer(session, command, { paths: [path], attributes });
    const target = { path, attributes };
    if (!session.observations.has(key)) return this.observe(session, target, command, pending);
    // The end of the command confirms the subscriptions of rules, too: their keys get no other first value.
    const joining = subscribed.filter((row) => row.keyId === keyId || isAskedByRule(row));
    const audience = joining.map((row) => row.keyId);
    return this.joinObservation(session, target, command, { pending, audience });
  }

  /**
   * Reads the path for other subscribers of an existing observation. A notification that arrives before the response
   * to the read is the first value, and newer than the response. `audience`: the keys that have had no value yet.
   */
  private async joinObservation(
    session: Session,
    target: Target,
    command: Command,
    { pending, audience }: { pending: SubscriptionAnswer; audience: readonly string[] },
  ): Promise<Outcome> {
    const { path } = target;
    const { downlink, values } = this;
    const reply = await downlink.read(session, path, this.logSent(command)).catch((error: unknown) => error as Error);
    // When the observation is gone, the device has ended it during the read.
    const isObserved = session.observations.has(targetKey(target));
    if (!isObserved && !(reply instanceof Error)) return this.observe(session, target, command, pending);
    const answered = await pending.answered();
    if (answered) return answered;
    if (reply instanceof Error) throw reply;
    const outcome = outcomeOf(reply);
    if (reply.code !== '2.05') return outcome;
    await pending.reportOutcome(outcome, (answer) =>
      values.report(session, { path, ...reply, cause: 'notify', audience, answer }),
    );
    return (await pending.answered()) ?? outcome;
  }

  private async observe(
    session: Session,
    target: Target,
    command: Command,
    pending: SubscriptionAnswer,
  ): Promise<Outcome> {
    const observed = await this.observer.observe(session, target, this.logSent(command), (first, report) =>
      pending.reportOutcome(this.outcomeOfObserve(first), report),
    );
    return (await pending.answered()) ?? this.outcomeOfObserve(observed);
  }

  /** From now on, the first value of these paths that the device reports is sent to the key with the answer. */
  private beginAnswer(
    session: Session,
    command: Command,
    observed: { paths: readonly string[]; attributes?: string | undefined; isComposite?: boolean },
  ): SubscriptionAnswer {
    const pending = new SubscriptionAnswer(command.keyId, observed, (outcome) => this.answerFor(command, outcome));
    session.pendingSubscriber = pending;
    return pending;
  }

  /** The uid is the same in each attempt: the first attempt may have sent the answer, although the command did not end. */
  private answerFor(command: Command, outcome: Outcome): AnswerWithValue {
    const { id, keyId, firstAttemptedAt, acceptedAt } = command;
    const uid = uidOf(`answer of ${id}`, (firstAttemptedAt ?? acceptedAt).getTime());
    return { uid, keyId, item: itemOf(command, outcome), isSent: false };
  }

  /** One observation for each command: its paths are those that still have subscriptions of this command. */
  private async subscribeComposite(session: Session, command: Command): Promise<Outcome> {
    const { id, accept, contentType } = command;
    const rows = await this.interest.load(session);
    const paths = rows.filter((row) => row.together === id).map((row) => row.path);
    if (paths.length === 0) return subscriptionRemoved;
    const format = (contentType === null ? undefined : formatOf(contentType)) ?? pathsFormat(session.data);
    const accepted = accept === null ? undefined : formatOf(accept);
    const target = { path: id, together: { paths, format }, ...(accepted !== undefined && { accept: accepted }) };
    return this.observe(session, target, command, this.beginAnswer(session, command, { paths, isComposite: true }));
  }

  /** Returns a callback that logs, at level debug, each message of a command as the device sees it. */
  private logSent({ id: commandId, deviceId, requestId, method, path }: Command): OnSent | undefined {
    const { logger } = this;
    if (!logger.isLevelEnabled('debug')) return undefined;
    return ({ token, messageId }) =>
      logger.debug(
        { requestId, commandId, deviceId, method, path, token: token.toString('hex'), messageId },
        'CoAP request sent',
      );
  }

  private outcomeOfObserve({ reply, observing }: Observed): Outcome {
    const { code, payload, contentType } = reply;
    return code.startsWith('2.') && !observing ? { ...notObservable, payload, contentType } : outcomeOf(reply);
  }

  /**
   * The result of a command whose request threw an error. A command that is not safe to repeat fails if the device may
   * have executed it. Attempts that the device did not answer, or refused with a reset, are limited by `retryMax`.
   */
  private withoutAnswer(session: Session, command: Command, error: unknown): ExecutionResult {
    const repeatable = isRepeatable(operationOf(command));
    const triesLeft = command.attempts <= command.retryMax;
    if (error instanceof RequestAborted) return this.aborted(command, error);
    if (error instanceof NotSent) return { again: 'not counted', pauseMs: retryPauseMs };
    if (error instanceof NotSendable) return { done: notSendable };
    if (error instanceof ConnectionEnded) return this.connectionEnded(command, repeatable);
    if (error instanceof BodyUnavailable) return { again: 'not counted', pauseMs: packagePauseMs };
    if (error instanceof Refused)
      return triesLeft ? { again: 'counted', pauseMs: retryPauseMs } : { done: notConnected };
    if (!(error instanceof NoAnswer)) return this.infrastructureFailed(command, error);
    if (!repeatable) return { done: inDoubt };
    if (!triesLeft) return { done: unanswered(command, timeout) };
    // A sleeping device is retried when it sends a message. Any other one may have lost a few datagrams.
    return { again: 'counted', pauseMs: session.silent ? 0 : retryPauseMs };
  }

  /**
   * The session ended before the answer, or this process stops. A change that has left counts as an attempt, because the
   * device may have executed it. A package does not: the device starts its transfer again.
   */
  private aborted(command: Command, { isSent }: RequestAborted): ExecutionResult {
    const operation = operationOf(command);
    if (isSent && !isRepeatable(operation)) return { done: inDoubt };
    const isChange = !bringsNoChange(operation) && command.sealedTicket === null;
    return { again: isSent && isChange ? 'counted' : 'not counted', pauseMs: 0 };
  }

  /**
   * The connection ended before the answer. The command waits for the next connection, unless it is not safe to repeat.
   * Attempts are bounded, because the command itself may make the device disconnect.
   */
  private connectionEnded(command: Command, repeatable: boolean): ExecutionResult {
    if (!repeatable) return { done: inDoubt };
    if (command.attempts <= command.retryMax || command.attempts < attemptsWhenConnectionsEndMin)
      return { again: 'counted', pauseMs: retryPauseMs };
    return { done: unanswered(command, connectionFailed) };
  }

  /**
   * The device answered, but Kafka, Redis or the database failed. Only operations that return values are retried: any
   * other operation may already have had its effect.
   */
  private infrastructureFailed(command: Command, error: unknown): ExecutionResult {
    this.logger.error({ err: error, commandId: command.id }, 'command not executed: will be retried');
    return bringsValues(operationOf(command)) ? { again: 'not counted', pauseMs: retryPauseMs } : { done: inDoubt };
  }
}
