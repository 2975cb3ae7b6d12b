import { gatewayPath } from '@lanyard/lwm2m';
import { KeyedMutex, NamedError } from '@lanyard/service';
import { DataSource, In } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { locksMax, withDevice, withDevices } from '../db/device-lock.js';
import { RequestBatcher } from '../db/request-batcher.js';
import { Observer } from '../observations/observer.js';
import { Receivers } from '../observations/receivers.js';
import { pathsFormat } from '../downlink/requests.js';
import { RuledDevice } from '../presubscriptions/match.js';
import { Rules, type RulesOfKey } from '../presubscriptions/rules.js';
import { type Observation, type Target, targetKey } from '../sessions/observations.js';
import { LastSeen } from '../sessions/last-seen.js';
import type { Session } from '../sessions/session.js';
import { Sessions } from '../sessions/sessions.js';
import { ConnectionEnded, NoAnswer, NotSendable, NotSent, Refused, RequestAborted } from '../transport/device-link.js';
import { Interest } from '../interest/interest.js';
import { isAskedByRule, type Subscription } from '../interest/subscription.entity.js';
import { SubscriptionBatcher } from '../interest/subscription-batcher.js';
import { type NewSubscription, SubscriptionStore } from '../interest/subscription-store.js';
import { DeviceGroupsReader } from '../state/device-groups.reader.js';
import { WorkingProvider } from '../working-provider.js';
import { difference } from './differences.js';
import { afterFailures, afterSilence, retryPauseMs } from './retry-pause.js';

/** The device is not reachable now: reconciliation runs again at its next registration or update. */
const unreachableErrors = [RequestAborted, NoAnswer, Refused, NotSent, ConnectionEnded];

/**
 * Of these, the errors that a lost message may cause: reconciliation also runs soon after the device's next message, or
 * after a while of silence.
 */
const lostMessages = [NoAnswer, NotSent];

/** The device answered 5.03 for a path, for example because its sensor is starting: it is asked again after a pause. */
class NotReady extends NamedError {}
const notReadyCode = '5.03';

type Observing = 'observed' | 'missing' | 'not ready';

/** The pending reconciliation of a device for which it failed, or whose session came from a replica that has ended. */
interface Retry {
  rules: boolean;
  failures: number;
  isWaiting: boolean;
  /** Requests without an answer. */
  silences: number;
  isWaitingInSilence: boolean;
  /** Retry when the device sends a message. `at once`: the device slept when it was to be asked, and may sleep again after a pause. */
  whenHeard: 'no' | 'after a pause' | 'at once';
}

/** A scheduled reconciliation of a device; requests that arrive before it starts join it. */
interface Due {
  session: Session;
  rules: boolean;
  done: Promise<void>;
}

/**
 * Makes a device observe exactly the paths that have subscribers. Rules are applied when the device registers or
 * updates its registration (spec §4.4 rule 2).
 */
@Injectable()
export class SubscriptionReconciler extends WorkingProvider {
  private readonly perDevice = new KeyedMutex();
  private readonly due = new Map<string, Due>();
  private readonly retries = new Map<string, Retry>();
  private readonly losses = new RequestBatcher((deviceIds: readonly string[]) => this.loseAllOf(deviceIds), {
    batchMax: locksMax,
  });

  constructor(
    private readonly dataSource: DataSource,
    private readonly store: SubscriptionStore,
    private readonly batcher: SubscriptionBatcher,
    private readonly interest: Interest,
    private readonly rules: Rules,
    private readonly observer: Observer,
    private readonly sessions: Sessions,
    private readonly receivers: Receivers,
    groups: DeviceGroupsReader,
    lastSeen: LastSeen,
  ) {
    super('retries of subscriptions');
    // Rules of keys that are limited to groups may match the device from now on, or no longer.
    groups.onChange((deviceId) => sessions.get(deviceId)?.requireReconciliation());
    receivers.onLimitChange((accountId) => rules.renew(accountId));
    lastSeen.onMessage((session) => this.messageArrived(session));
    sessions.listen({
      // The replica that had the session may have ended before the device observed everything.
      began: (session, how) => {
        if (how !== 'registered') this.retryOf(session, false).whenHeard = 'after a pause';
      },
      ended: ({ deviceId }) => void this.retries.delete(deviceId),
    });
  }

  /**
   * A full registration: the device has forgotten every observation (spec §4.4 rule 1). Subscriptions that calls asked for
   * while the device was away stay: their commands wait in the queue for this registration.
   */
  async loseOnRegistration(deviceId: string): Promise<void> {
    const { batcher, dataSource, store } = this;
    if ((await batcher.read(deviceId)).length === 0) return;
    await withDevice(dataSource, deviceId, async (manager) => {
      await store.lose(manager, { deviceId, status: 'confirmed' }, true);
      await store.lose(manager, { deviceId, origin: 'presubscription' });
    });
  }

  /** For a device that was deleted. */
  loseAll(deviceId: string): Promise<void> {
    return this.losses.submit(deviceId);
  }

  private async loseAllOf(deviceIds: readonly string[]): Promise<void[]> {
    const { dataSource, store } = this;
    await withDevices(dataSource, deviceIds, (manager) => store.lose(manager, { deviceId: In([...deviceIds]) }));
    return deviceIds.map(() => undefined);
  }

  /** The device ended an observation: its subscribers have lost it. */
  async loseObservation(session: Session, observation: Observation): Promise<void> {
    session.requireReconciliation();
    await this.lose(session, observation);
  }

  private async lose(session: Session, { path, attributes, together }: Target): Promise<void> {
    const { dataSource, store, interest } = this;
    const { deviceId } = session;
    await withDevice(dataSource, deviceId, (manager) =>
      together
        ? store.lose(manager, { deviceId, together: path }, true)
        : store.losePath(manager, { deviceId, path }, attributes),
    );
    await interest.load(session);
  }

  /** Runs after a registration or an update. Nothing is looked up while the rules and the device are unchanged. */
  async applyRules(session: Session): Promise<void> {
    const { appliedRules } = session;
    if (appliedRules && appliedRules === (await this.rulesFor(session))) return;
    await this.schedule(session, true);
  }

  /** Called when subscriptions have changed. */
  scheduleReconciliation(session: Session): Promise<void> {
    session.requireReconciliation();
    return this.schedule(session, false);
  }

  /** undefined when the rules cannot be read: then reconciliation runs, and logs the failure. */
  private rulesFor({ accountId }: Session): Promise<readonly RulesOfKey[] | undefined> {
    return this.rules.ofAccount(accountId).catch(() => undefined);
  }

  private schedule(session: Session, rules: boolean): Promise<void> {
    const { deviceId } = session;
    const waiting = this.due.get(deviceId);
    if (waiting) {
      if (!session.isOver) waiting.session = session;
      waiting.rules ||= rules;
      return waiting.done;
    }
    const due: Due = { session, rules, done: Promise.resolve() };
    this.due.set(deviceId, due);
    due.done = this.perDevice.run(deviceId, () => {
      this.due.delete(deviceId);
      return this.applyDue(due);
    });
    return due.done;
  }

  private async applyDue({ session, rules }: Due): Promise<void> {
    if (session.isOver) return;
    try {
      const { reconciliationsRequired } = session;
      const { interest } = this;
      const keys = rules ? await this.rules.ofAccount(session.accountId) : undefined;
      const rows = await interest.load(session);
      const changed = keys !== undefined && (await this.writeRules(session, keys, rows));
      const complete = await this.reconcile(session, changed ? await interest.load(session) : rows);
      if (complete && session.reconciliationsRequired === reconciliationsRequired) session.appliedRules = keys;
      this.endRetry(session, complete);
    } catch (error) {
      if (lostMessages.some((lost) => error instanceof lost)) return this.retryWhenHeard(session, rules);
      if (error instanceof NotReady) return this.retryLater(session, rules);
      if (unreachableErrors.some((unreachable) => error instanceof unreachable)) return;
      const isFinal = error instanceof NotSendable;
      const then = isFinal ? 'until the device accepts larger messages' : 'will be retried';
      this.logger.error({ err: error, deviceId: session.deviceId }, `subscriptions not applied: ${then}`);
      if (!isFinal) this.retryLater(session, rules);
    }
  }

  private retryOf({ deviceId }: Session, rules: boolean): Retry {
    const none = { failures: 0, isWaiting: false, silences: 0, isWaitingInSilence: false, whenHeard: 'no' } as const;
    const retry: Retry = this.retries.get(deviceId) ?? { rules, ...none };
    retry.rules ||= rules;
    this.retries.set(deviceId, retry);
    return retry;
  }

  private retryWhenHeard(session: Session, rules: boolean): void {
    if (session.isOver) return;
    const retry = this.retryOf(session, rules);
    retry.whenHeard = 'after a pause';
    this.retryInSilence(session, retry);
  }

  /** A device that reports nothing yet may be silent until its update, which may be a day away. */
  private retryInSilence({ deviceId }: Session, retry: Retry): void {
    if (retry.isWaitingInSilence) return;
    retry.isWaitingInSilence = true;
    retry.silences++;
    this.work.later(retryPauseMs(afterSilence, retry.silences, Math.random), () => {
      retry.isWaitingInSilence = false;
      if (retry.whenHeard !== 'after a pause' || this.retries.get(deviceId) !== retry) return;
      retry.whenHeard = 'no';
      this.retryIfHere(deviceId, retry);
    });
  }

  /** Nothing has failed, but a device that does not listen was not asked, so its retry stays. */
  private endRetry(session: Session, complete: boolean): void {
    const retry = this.retries.get(session.deviceId);
    if (retry && !complete && !this.sessions.isListening(session)) retry.whenHeard = 'at once';
    else this.retries.delete(session.deviceId);
  }

  /** Runs for every message of a device. */
  private messageArrived(session: Session): void {
    if (this.retries.size === 0) return;
    for (const one of [session, ...this.sessions.behind(session)]) {
      const retry = this.retries.get(one.deviceId);
      if (!retry || retry.whenHeard === 'no' || !this.sessions.isListening(one)) continue;
      const isAtOnce = retry.whenHeard === 'at once';
      retry.whenHeard = 'no';
      if (isAtOnce) this.retryNow(one, retry);
      else this.retryLater(one, retry.rules);
    }
  }

  private retryNow(session: Session, { rules }: Retry): void {
    this.work.run(
      () => this.schedule(session, rules),
      () => undefined,
    );
  }

  /** Retries after a pause, because the next update of the device may be a day away. */
  private retryLater(failed: Session, rules: boolean): void {
    const { deviceId } = failed;
    const retry = this.retryOf(failed, rules);
    if (retry.isWaiting) return;
    retry.isWaiting = true;
    retry.failures++;
    this.work.later(retryPauseMs(afterFailures, retry.failures, Math.random), () => {
      retry.isWaiting = false;
      this.retryIfHere(deviceId, retry);
    });
  }

  /** The device may have another session by now, or one at another replica. */
  private retryIfHere(deviceId: string, retry: Retry): void {
    const session = this.sessions.get(deviceId);
    if (session) this.retryNow(session, retry);
    else this.retries.delete(deviceId);
  }

  private wantedByRules(session: Session, keys: readonly RulesOfKey[]): NewSubscription[] {
    const { deviceId, accountId, data } = session;
    const { endpointName, endpointType, links } = data;
    const visible = keys.filter(({ keyId }) => this.receivers.maySee(keyId, deviceId));
    if (visible.length === 0) return [];
    const device = new RuledDevice({ deviceId, endpointName, endpointType }, links);
    return visible.flatMap(({ keyId, rules }) =>
      device.matchingPaths(rules).map((path) => ({
        keyId,
        deviceId,
        accountId,
        path,
        origin: 'presubscription' as const,
      })),
    );
  }

  /** False when the device already has exactly the subscriptions that the rules ask for. */
  private async writeRules(
    session: Session,
    keys: readonly RulesOfKey[],
    known: readonly Subscription[],
  ): Promise<boolean> {
    const { deviceId } = session;
    const wanted = this.wantedByRules(session, keys);
    const asked = difference(wanted, known);
    const byRules = known.filter((row) => row.origin === 'presubscription');
    const lost = difference(byRules, wanted);
    if (asked.length === 0 && lost.length === 0) return false;
    await this.batcher.write({ deviceId, asked, lost });
    return true;
  }

  /** True when the device observes every path with subscribers. Throws NotReady when it is not ready to observe some of them. */
  private async reconcile(session: Session, rows: readonly Subscription[]): Promise<boolean> {
    const { observer } = this;
    const single = rows.filter((row) => row.together === null);
    const composites = this.compositesIn(rows);
    const targets = this.targetsIn(single);
    const wanted = new Set([...targets.keys(), ...composites.keys()]);
    for (const observation of session.observations.all()) {
      const key = targetKey(observation);
      // The list of the devices behind a gateway is observed by this service itself.
      if (!observation.auto && !wanted.has(key) && key !== gatewayPath) await observer.cancel(session, key);
    }
    const outcomes = new Set<Observing>();
    for (const [key, { target, subscribed }] of targets)
      if (this.isMissing(session, key, subscribed)) outcomes.add(await this.observe(session, target, subscribed));
    const format = pathsFormat(session.data);
    for (const [path, { paths, confirmed }] of composites)
      if (confirmed && !session.observations.has(path))
        outcomes.add(await this.observe(session, { path, together: { paths, format } }));
    if (outcomes.has('not ready')) throw new NotReady('the device cannot be observed yet');
    return !outcomes.has('missing');
  }

  /** The composite observations. Until their command has ended, the command is responsible for them. */
  private compositesIn(rows: readonly Subscription[]): Map<string, { paths: string[]; confirmed: boolean }> {
    const composites = new Map<string, { paths: string[]; confirmed: boolean }>();
    for (const { together, path, status } of rows) {
      if (together === null) continue;
      const { paths = [], confirmed = true } = composites.get(together) ?? {};
      composites.set(together, { paths: [...paths, path], confirmed: confirmed && status === 'confirmed' });
    }
    return composites;
  }

  /** The single observations, each with its subscriptions. */
  private targetsIn(rows: readonly Subscription[]): Map<string, { target: Target; subscribed: Subscription[] }> {
    const targets = new Map<string, { target: Target; subscribed: Subscription[] }>();
    for (const row of rows) {
      const key = targetKey(row);
      const known = targets.get(key);
      if (known) known.subscribed.push(row);
      else targets.set(key, { target: { path: row.path, attributes: row.attributes ?? undefined }, subscribed: [row] });
    }
    return targets;
  }

  /**
   * Whether the device is to be asked for the observation, or subscriptions of rules to it are to be confirmed.
   * Unconfirmed subscriptions of calls do not count: their commands are in the queue. `subscribed`: the subscriptions
   * to this observation.
   */
  private isMissing(session: Session, key: string, subscribed: readonly Subscription[]): boolean {
    if (session.observations.has(key)) return subscribed.some(isAskedByRule);
    return subscribed.some((row) => row.origin === 'presubscription' || row.status === 'confirmed');
  }

  /** `missing`: the device does not report the path, or does not listen now. `subscribed`: to a single path. */
  private async observe(
    session: Session,
    target: Target,
    subscribed: readonly Subscription[] = [],
  ): Promise<Observing> {
    const { batcher, observer, sessions } = this;
    const { deviceId } = session;
    const { path, attributes, together } = target;
    if (session.isOver || !sessions.isListening(session)) return 'missing';
    if (session.observations.has(targetKey(target))) return this.join(session, path, subscribed);
    const { reply, observing } = await observer.observe(session, target);
    if (observing) {
      // Rules ask for no attributes.
      if (!together && attributes === undefined) await batcher.write({ deviceId, confirmed: path });
      return 'observed';
    }
    if (reply.code === notReadyCode) return 'not ready';
    await this.lose(session, target);
    return 'missing';
  }

  /** The path is observed already. Keys whose rules match it now get its present value, as those of calls do. */
  private async join(session: Session, path: string, subscribed: readonly Subscription[]): Promise<Observing> {
    const keyIds = subscribed.filter(isAskedByRule).map(({ keyId }) => keyId);
    const reply = await this.observer.readObserved(session, path, keyIds);
    if (reply.code === notReadyCode) return 'not ready';
    await this.batcher.write({ deviceId: session.deviceId, confirmed: path });
    return 'observed';
  }
}
