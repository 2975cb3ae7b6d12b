import { newUid } from '@lanyard/contracts';
import type { Clock, Logger, Timer, Tracing } from '@lanyard/service';
import type { Asker, DeviceReply, OnSent } from '../downlink/asker.js';
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
import type { Observed, Observer } from '../observations/observer.js';
import type { Target } from '../sessions/observations.js';
import type { Values } from '../observations/values.js';
import type { AnswerAhead } from '../sessions/joining.js';
import { itemOf } from './facts.js';
import type { Session } from '../sessions/session.js';
import type { Sessions } from '../sessions/sessions.js';
import type { Interest } from '../interest/interest.js';
import { SubscriptionAnswer } from './subscription-answer.js';
import { ConnectionEnded, GivenUp, NoAnswer, NotSendable, NotSent, Refused } from '../transport/device-link.js';
import type { Command } from './command.entity.js';
import type { CommandQueue } from './command-queue.js';
import { attemptsWhenConnectionsEndMax, claimRenewMs, retryPauseMs } from './limits.js';
import {
  inDoubt,
  notConnected,
  notObservable,
  notOffered,
  notSendable,
  type Outcome,
  outcomeOf,
  repeatedly,
  subscriptionRemoved,
  timeout,
} from './outcome.js';

interface DelivererParts {
  sessions: Sessions;
  queue: CommandQueue;
  asker: Asker;
  observer: Observer;
  values: Values;
  interest: Interest;
  replicaId: string;
  clock: Clock;
  logger: Logger;
  tracing: Tracing;
}

/** `again`: back into the queue, and after the pause another try unless the device is heard before. */
type Verdict = { done: Outcome } | { again: 'counted' | 'not counted'; pauseMs: number };

/** Carries out the commands of the devices whose session is here: in order, one in flight for each device. */
export class Deliverer {
  private readonly running = new Map<string, Promise<void>>();
  /** Devices with something in their queue, as far as this replica knows; others are not looked up. */
  private readonly maybeWaiting = new Set<string>();
  /** Poked while their queue was being worked off. */
  private readonly poked = new Set<string>();
  private readonly inFlight = new Set<Command>();
  private timer: Timer | undefined;
  private readonly retries = new Set<Timer>();
  private stopped = false;

  constructor(private readonly parts: DelivererParts) {
    parts.sessions.listen({ ended: ({ deviceId }) => void this.maybeWaiting.delete(deviceId) });
  }

  start(): void {
    this.timer = this.parts.clock.every(claimRenewMs, () => {
      this.parts.queue.renew([...this.inFlight]).catch((error: unknown) => {
        this.parts.logger.warn({ err: error }, 'claims not renewed');
      });
    });
  }

  /** Ends after the commands in flight are put back or done; their sessions have been given up before. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.timer?.cancel();
    for (const retry of this.retries) retry.cancel();
    await Promise.all(this.running.values());
  }

  /** Nobody knows whether a command waits: the device has just come here. */
  look(deviceId: string): void {
    this.parts.queue.hasCommands(deviceId).then(
      (has) => {
        if (has) this.poke(deviceId);
      },
      (error: unknown) => {
        this.parts.logger.warn(
          { err: error, deviceId },
          'waiting commands could not be checked: assuming that there are some',
        );
        this.poke(deviceId);
      },
    );
  }

  /** There is, or may be, a command for the device. */
  poke(deviceId: string): void {
    if (!this.parts.sessions.get(deviceId)) return;
    this.maybeWaiting.add(deviceId);
    if (this.running.has(deviceId)) this.poked.add(deviceId);
    this.go(deviceId);
  }

  /** The device listens now. */
  heard(deviceId: string): void {
    if (this.maybeWaiting.has(deviceId)) this.go(deviceId);
  }

  private go(deviceId: string): void {
    if (this.stopped || this.running.has(deviceId)) return;
    const run = this.drain(deviceId)
      .catch((error: unknown) => {
        this.parts.logger.error({ err: error, deviceId }, 'queue not processed: will be retried soon');
        // What was in it, nobody has seen.
        if (this.parts.sessions.get(deviceId)) this.maybeWaiting.add(deviceId);
        this.later(deviceId, retryPauseMs);
      })
      .finally(() => {
        this.running.delete(deviceId);
        if (this.poked.delete(deviceId)) this.go(deviceId);
      });
    this.running.set(deviceId, run);
  }

  private later(deviceId: string, pauseMs: number): void {
    const retry = this.parts.clock.after(pauseMs, () => {
      this.retries.delete(retry);
      this.heard(deviceId);
    });
    this.retries.add(retry);
  }

  private async drain(deviceId: string): Promise<void> {
    while (!this.stopped) {
      const session = this.parts.sessions.get(deviceId);
      if (!session || !this.parts.sessions.isListening(session)) return;
      // What a paused replica believes may be over: its command would be carried out a second time, or too late.
      if (!(await this.parts.sessions.isOurs(session))) return;
      this.maybeWaiting.delete(deviceId);
      const command = await this.parts.queue.claim(deviceId, { replica: this.parts.replicaId, epoch: session.epoch });
      if (!command) return;
      this.maybeWaiting.add(deviceId);
      if (!(await this.carryOut(session, command))) return;
    }
  }

  /** True when the next command may follow at once. */
  private async carryOut(session: Session, command: Command): Promise<boolean> {
    this.inFlight.add(command);
    try {
      const verdict = await this.execute(session, command);
      await this.settle(command, verdict);
      if (command.kind === 'subscription') await this.loadAudience(session);
      if ('done' in verdict) return true;
      if (verdict.pauseMs > 0) this.later(command.deviceId, verdict.pauseMs);
      return false;
    } finally {
      session.joining = undefined;
      this.inFlight.delete(command);
    }
  }

  /** The device has answered: that is kept until the database takes it, or a later epoch of the session decides. */
  private async settle(command: Command, verdict: Verdict): Promise<void> {
    const { queue, logger, clock } = this.parts;
    for (;;)
      try {
        const ours =
          'done' in verdict
            ? await queue.finish(command, verdict.done)
            : await queue.putBack(command, verdict.again === 'counted');
        if (!ours) logger.info({ commandId: command.id }, 'result dropped: the claim has passed to another replica');
        return;
      } catch (error) {
        if (this.stopped) throw error;
        logger.error({ err: error, commandId: command.id }, 'result not stored: tried again');
        await clock.sleep(retryPauseMs);
      }
  }

  /** Before the key has joined for good, the next value must not be taken for one that it did not subscribe to. */
  private async loadAudience(session: Session): Promise<void> {
    const { interest, logger, clock } = this.parts;
    for (;;)
      try {
        return void (await interest.load(session));
      } catch (error) {
        if (this.stopped || session.isOver) throw error;
        logger.error({ err: error, deviceId: session.deviceId }, 'subscribers not loaded: tried again');
        await clock.sleep(retryPauseMs);
      }
  }

  private async execute(session: Session, command: Command): Promise<Verdict> {
    const { method, path, attempts } = command;
    const span = this.parts.tracing.follow(command.traceParent, 'device-proxy command', {
      kind: 'client',
      attributes: { 'lanyard.method': method, 'lanyard.path': path, 'lanyard.attempt': attempts },
    });
    const verdict = await this.attempt(session, command);
    span?.end('again' in verdict ? 'no answer: tried again' : verdict.done.error);
    const { id: commandId, deviceId, requestId } = command;
    const ended = 'done' in verdict ? { status: verdict.done.status, error: verdict.done.error } : { again: true };
    this.parts.logger.debug({ requestId, commandId, deviceId, attempts, ...ended }, 'command carried out');
    return verdict;
  }

  private async attempt(session: Session, command: Command): Promise<Verdict> {
    try {
      const outcome = await this.perform(session, command);
      const again = command.attempts > 1 && !bringsNoChange(operationOf(command));
      return { done: again ? repeatedly(outcome, command.attempts) : outcome };
    } catch (error) {
      return this.missed(session, command, error);
    }
  }

  private async perform(session: Session, command: Command): Promise<Outcome> {
    const { asker, values } = this.parts;
    const operation = operationOf(command);
    if (operation === 'observe') return this.subscribe(session, command);
    if (isComposite(operation) && session.data.lwm2mVersion === '1.0') return notOffered;
    if (operation === 'observe-composite') return this.subscribeTogether(session, command);
    const reply = await this.changing(session, operation, () =>
      asker.ask(session, { operation, ...command }, this.sentFor(command)),
    );
    if (operation === 'read' && reply.code === '2.05')
      await values.report(session, { path: command.path, ...reply, cause: 'read', audience: [] });
    if (operation === 'read-composite' && reply.code === '2.05')
      await values.reportEach(session, reply, { cause: 'read', audienceOf: () => [] });
    if (operation === 'create' && reply.code === '2.01') await this.noteInstance(session, reply);
    return outcomeOf(reply);
  }

  /** Commands may name the new instance at once. The device has made it, whatever becomes of the note. */
  private async noteInstance(session: Session, { location = [] }: DeviceReply): Promise<void> {
    const { sessions, logger } = this.parts;
    const path = createdPath(session.data.rootPath, location);
    if (path === undefined) return;
    await sessions.addLink(session, path).catch((error: unknown) => {
      logger.warn({ err: error, deviceId: session.deviceId, path }, 'new instance not known until the device updates');
    });
  }

  /** A value that was notified before a change, or during one, may be the old value. */
  private async changing<T>(session: Session, operation: Operation, ask: () => Promise<T>): Promise<T> {
    if (bringsNoChange(operation)) return ask();
    session.notified.clear();
    try {
      return await ask();
    } finally {
      session.notified.clear();
    }
  }

  /** The path is observed once however many subscribe; who comes later gets the present value by a read. */
  private async subscribe(session: Session, command: Command): Promise<Outcome> {
    const { path, keyId } = command;
    const rows = await this.parts.interest.load(session);
    if (!rows.some((row) => row.path === path && row.keyId === keyId && row.together === null))
      return subscriptionRemoved;
    const joining = this.joins(session, command, [path]);
    if (session.observations.has(path)) return this.follow(session, command, joining);
    return this.observe(session, { path }, command, joining);
  }

  /** A notification that comes before the read is answered is the first value, and newer than what was read. */
  private async follow(session: Session, command: Command, joining: SubscriptionAnswer): Promise<Outcome> {
    const { path, keyId } = command;
    const { asker, values } = this.parts;
    const read = { operation: 'read', path, query: [], accept: null, contentType: null, payload: null } as const;
    const reply = await asker.ask(session, read, this.sentFor(command)).catch((error: unknown) => error as Error);
    const answered = await joining.answered();
    if (answered) return answered;
    if (reply instanceof Error) throw reply;
    const outcome = outcomeOf(reply);
    if (reply.code !== '2.05') return outcome;
    await joining.tellOutcome(outcome, (answer) =>
      values.report(session, { path, ...reply, cause: 'notify', audience: [keyId], answer }),
    );
    return (await joining.answered()) ?? outcome;
  }

  private async observe(
    session: Session,
    target: Target,
    command: Command,
    joining: SubscriptionAnswer,
  ): Promise<Outcome> {
    const observed = await this.parts.observer.observe(session, target, this.sentFor(command), (first, report) =>
      joining.tellOutcome(this.observed(first), report),
    );
    return (await joining.answered()) ?? this.observed(observed);
  }

  private joins(session: Session, command: Command, paths: readonly string[]): SubscriptionAnswer {
    const joining = new SubscriptionAnswer(command.keyId, paths, (outcome) => this.answerAhead(command, outcome));
    session.joining = joining;
    return joining;
  }

  private answerAhead(command: Command, outcome: Outcome): AnswerAhead {
    return { uid: newUid(), keyId: command.keyId, item: itemOf(command, outcome), isTold: false };
  }

  /** One observation for each command: its paths are those that are still subscribed to through it. */
  private async subscribeTogether(session: Session, command: Command): Promise<Outcome> {
    const { id, accept, contentType } = command;
    const rows = await this.parts.interest.load(session);
    const paths = rows.filter((row) => row.together === id).map((row) => row.path);
    if (paths.length === 0) return subscriptionRemoved;
    const format = (contentType === null ? undefined : formatOf(contentType)) ?? pathsFormat(session.data);
    const wish = accept === null ? undefined : formatOf(accept);
    const target = { path: id, together: { paths, format }, ...(wish !== undefined && { accept: wish }) };
    return this.observe(session, target, command, this.joins(session, command, paths));
  }

  /** What leaves for a command, as the device knows it, under the id of the call that brought the command. */
  private sentFor({ id: commandId, deviceId, requestId, method, path }: Command): OnSent | undefined {
    const { logger } = this.parts;
    if (!logger.isLevelEnabled('debug')) return undefined;
    return ({ token, messageId }) =>
      logger.debug(
        { requestId, commandId, deviceId, method, path, token: token.toString('hex'), messageId },
        'CoAP request sent',
      );
  }

  private observed({ reply, observing }: Observed): Outcome {
    return reply.code.startsWith('2.') && !observing ? this.unobserved(reply) : outcomeOf(reply);
  }

  private unobserved({ payload, contentType }: DeviceReply): Outcome {
    return { ...notObservable, payload, contentType };
  }

  /** No answer. What cannot be repeated is over; the rest is tried as often as its sender wished. */
  private missed(session: Session, command: Command, error: unknown): Verdict {
    const repeatable = isRepeatable(operationOf(command));
    const triesLeft = command.attempts <= command.retryMax;
    if (error instanceof GivenUp) return repeatable ? { again: 'not counted', pauseMs: 0 } : { done: inDoubt };
    if (error instanceof NotSent) return { again: 'not counted', pauseMs: retryPauseMs };
    if (error instanceof NotSendable) return { done: notSendable };
    if (error instanceof ConnectionEnded) return this.cutOff(command, repeatable);
    if (error instanceof Refused)
      return triesLeft ? { again: 'counted', pauseMs: retryPauseMs } : { done: notConnected };
    if (!(error instanceof NoAnswer)) return this.broken(command, error);
    if (!repeatable) return { done: inDoubt };
    if (!triesLeft) return { done: timeout };
    // One that sleeps is asked again when it is heard. Another one may have lost a few datagrams.
    return { again: 'counted', pauseMs: session.silent ? 0 : retryPauseMs };
  }

  /**
   * Whoever sent it at the moment the connection died is not to blame: it waits for the next connection, unless the
   * device may have done what must not be done twice. A device that this very command disconnects is not asked forever.
   */
  private cutOff(command: Command, repeatable: boolean): Verdict {
    if (!repeatable) return { done: inDoubt };
    if (command.attempts <= command.retryMax || command.attempts < attemptsWhenConnectionsEndMax)
      return { again: 'counted', pauseMs: retryPauseMs };
    return { done: timeout };
  }

  /**
   * Not the device: Kafka, Redis or the database did not take what it answered. Only values are taken there: whatever
   * else fails after the device was asked is not asked again.
   */
  private broken(command: Command, error: unknown): Verdict {
    this.parts.logger.error({ err: error, commandId: command.id }, 'command not carried out: tried again');
    return bringsValues(operationOf(command)) ? { again: 'not counted', pauseMs: retryPauseMs } : { done: inDoubt };
  }
}
