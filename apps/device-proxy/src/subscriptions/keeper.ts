import type { Logger } from '@lanyard/service';
import type { DataSource } from 'typeorm';
import { withDevice } from '../db/device-lock.js';
import type { Observer } from '../observations/observer.js';
import { matchingPaths } from '../presubscriptions/match.js';
import type { Rules } from '../presubscriptions/rules.js';
import { OneAtATime } from '../sessions/one-at-a-time.js';
import type { Session } from '../sessions/session.js';
import type { Sessions } from '../sessions/sessions.js';
import { ConnectionEnded, GivenUp, NoAnswer, NotSent, Refused } from '../transport/device-link.js';
import type { Interest } from './interest.js';
import { Places } from './places.js';
import type { Subscription } from './subscription.entity.js';
import type { SubscriptionStore, Wanted } from './subscription-store.js';

/**
 * Steps on the database at the same time: a fleet that comes back comes all at once. Who waits for its device holds no
 * place: devices that do not answer would keep all others waiting.
 */
const stepsAtOnce = 64;

/** The device is not there (any more): the next registration or update comes back to it. */
const absences = [GivenUp, NoAnswer, Refused, NotSent, ConnectionEnded];

/** What a device is due, until it is its turn. What comes meanwhile joins. */
interface Due {
  session: Session;
  rules: boolean;
  done: Promise<void>;
}

interface KeeperParts {
  dataSource: DataSource;
  store: SubscriptionStore;
  interest: Interest;
  rules: Rules;
  observer: Observer;
  sessions: Sessions;
  logger: Logger;
}

/**
 * Keeps a device observing what somebody wants, and nothing else. Rules are applied when the device registers or
 * updates its registration (spec §4.4 rule 2).
 */
export class Keeper {
  private readonly perDevice = new OneAtATime();
  private readonly due = new Map<string, Due>();
  private readonly places = new Places(stepsAtOnce);

  constructor(private readonly parts: KeeperParts) {}

  /**
   * A full registration: the device has forgotten every observation (spec §4.4 rule 1). What a call asked for while
   * the device was away waits in the command queue for just this registration.
   */
  async loseObserved(deviceId: string): Promise<void> {
    const { dataSource, store } = this.parts;
    if ((await store.of(dataSource.manager, deviceId)).length === 0) return;
    await withDevice(dataSource, deviceId, async (manager) => {
      await store.lose(manager, { deviceId, status: 'confirmed' });
      await store.lose(manager, { deviceId, origin: 'presubscription' });
    });
  }

  /** The device is gone for good. */
  async loseAll(deviceId: string): Promise<void> {
    await withDevice(this.parts.dataSource, deviceId, (manager) => this.parts.store.lose(manager, { deviceId }));
  }

  /** The device ended an observation: whoever subscribed has lost it. */
  async losePath(session: Session, path: string): Promise<void> {
    const { dataSource, store, interest } = this.parts;
    await withDevice(dataSource, session.deviceId, (manager) => store.losePaths(manager, session.deviceId, [path]));
    await interest.load(session);
  }

  /** After a registration or an update. */
  applyRules(session: Session): Promise<void> {
    return this.look(session, true);
  }

  /** Subscriptions changed. */
  review(session: Session): Promise<void> {
    return this.look(session, false);
  }

  private look(session: Session, rules: boolean): Promise<void> {
    const { deviceId } = session;
    const waiting = this.due.get(deviceId);
    if (waiting) {
      waiting.session = session;
      waiting.rules ||= rules;
      return waiting.done;
    }
    const due: Due = { session, rules, done: Promise.resolve() };
    this.due.set(deviceId, due);
    due.done = this.perDevice.run(deviceId, () => {
      this.due.delete(deviceId);
      return this.bringAbout(due);
    });
    return due.done;
  }

  private async bringAbout({ session, rules }: Due): Promise<void> {
    if (session.signal.aborted) return;
    try {
      if (rules) await this.places.with(() => this.writeRules(session));
      await this.reconcile(session);
    } catch (error) {
      if (absences.some((absence) => error instanceof absence)) return;
      this.parts.logger.error(
        { err: error, deviceId: session.deviceId },
        'subscriptions not applied: tried again at the next update',
      );
    }
  }

  private async wantedByRules(session: Session): Promise<Wanted[]> {
    const { deviceId, accountId, data } = session;
    const { endpointName, endpointType, links } = data;
    const keys = await this.parts.rules.ofAccount(accountId);
    return keys.flatMap(({ keyId, rules }) =>
      matchingPaths(rules, { deviceId, endpointName, endpointType, links }).map((path) => ({
        keyId,
        deviceId,
        accountId,
        path,
        origin: 'presubscription' as const,
      })),
    );
  }

  private async writeRules(session: Session): Promise<void> {
    const { dataSource, store } = this.parts;
    const wanted = await this.wantedByRules(session);
    const known = await store.of(dataSource.manager, session.deviceId);
    const same = (a: { keyId: string; path: string }) => (b: { keyId: string; path: string }) =>
      a.keyId === b.keyId && a.path === b.path;
    const missing = wanted.filter((one) => !known.some(same(one)));
    const stale = known.filter((row) => row.origin === 'presubscription' && !wanted.some(same(row)));
    if (missing.length === 0 && stale.length === 0) return;
    await withDevice(dataSource, session.deviceId, async (manager) => {
      for (const { deviceId, path, keyId } of stale)
        await store.lose(manager, { deviceId, path, keyId, origin: 'presubscription' });
      await store.ask(manager, missing);
    });
  }

  private async reconcile(session: Session): Promise<void> {
    const { interest, observer } = this.parts;
    const rows = await this.places.with(() => interest.load(session));
    const wanted = new Set(rows.map((row) => row.path));
    for (const { path, auto } of [...session.observations.values()])
      if (!auto && !wanted.has(path)) await observer.cancel(session, path);
    for (const path of wanted) if (this.isMissing(session, rows, path)) await this.observe(session, path);
  }

  /** What a call asked for and the device has not confirmed yet is in the command queue. */
  private isMissing(session: Session, rows: readonly Subscription[], path: string): boolean {
    const waits = (row: Subscription): boolean =>
      row.path === path && (row.origin === 'presubscription' || row.status === 'confirmed');
    if (session.observations.has(path))
      return rows.some((row) => row.path === path && row.status === 'asked' && row.origin === 'presubscription');
    return rows.some(waits);
  }

  private async observe(session: Session, path: string): Promise<void> {
    const { dataSource, store, observer, interest, sessions } = this.parts;
    if (session.signal.aborted || !sessions.isListening(session)) return;
    const observing = session.observations.has(path) || (await observer.observe(session, path)).observing;
    await this.places.with(() =>
      withDevice(dataSource, session.deviceId, async (manager) => {
        if (observing) await store.confirm(manager, session.deviceId, path);
        else await store.losePaths(manager, session.deviceId, [path]);
      }),
    );
    if (!observing) await interest.load(session);
  }
}
