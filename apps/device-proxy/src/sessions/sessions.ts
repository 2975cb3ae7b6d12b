import type { Clock, Logger } from '@lanyard/service';
import { awakeWindowMs } from './limits.js';
import { type Sender, speaksFor } from '../transport/sender.js';
import { addressField } from './keys.js';
import type { Nudges } from './nudges.js';
import { OneAtATime } from './one-at-a-time.js';
import { Session, type StoredSession } from './session.js';
import type { Lookup, NewSession, SessionStore, TakeOver } from './session-store.js';

/** `registered`: new. `taken`: its device showed up here. `restored`: this replica had it before it was restarted. */
export type Beginning = 'registered' | 'taken' | 'restored';

/** Sessions restored at a time. */
const restoreChunk = 500;

/** What others do when a session begins to be this replica's, or stops. */
export interface SessionListener {
  /** Awaited before anything else happens to the device. */
  began?(session: Session, how: Beginning): void | Promise<void>;
  ended?(session: Session): void;
}

/**
 * The sessions that this replica owns. What concerns one device happens one at a time; a session that is not here is
 * taken over when its device shows up. A copy whose epoch has passed is dropped: by nudge, or at the next write.
 */
export class Sessions {
  readonly exclusive = new OneAtATime();
  private readonly byDevice = new Map<string, Session>();
  private readonly byRegistration = new Map<string, Session>();
  private readonly byAddress = new Map<string, Session>();
  private readonly listeners: SessionListener[] = [];

  constructor(
    readonly store: SessionStore,
    private readonly nudges: Nudges,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    nudges.on((nudge) => {
      if (nudge.about === 'session') this.dropIfOlder(nudge.deviceId, nudge.epoch);
    });
    nudges.onLost(() => void this.verify());
  }

  listen(listener: SessionListener): void {
    this.listeners.push(listener);
  }

  get(deviceId: string): Session | undefined {
    return this.byDevice.get(deviceId);
  }

  at(accountId: string, address: string): Session | undefined {
    return this.byAddress.get(addressField(accountId, address));
  }

  all(): IterableIterator<Session> {
    return this.byDevice.values();
  }

  get size(): number {
    return this.byDevice.size;
  }

  /** Whether the device listens now: a queue-mode device does for a while after each of its messages. */
  isListening(session: Session): boolean {
    if (session.silent || !session.greeted) return false;
    return !session.data.queueMode || this.clock.now() - session.heardAtMs < awakeWindowMs;
  }

  /** A full registration. The caller holds `exclusive` of the device. */
  async open(fresh: NewSession): Promise<Session> {
    const { epoch, previousOwner } = await this.store.open(fresh);
    const { deviceId, registrationId, accountId, address, nowMs, expiresAtMs, data } = fresh;
    const session = new Session({
      deviceId,
      registrationId,
      accountId,
      address,
      epoch,
      data,
      expiresAtMs,
      heardAtMs: nowMs,
      observations: [],
    });
    await this.hold(session, previousOwner, 'registered');
    return session;
  }

  /**
   * Finds the session a message belongs to, taking it over if need be, and works on it with nothing else of the device
   * in between. `address`: where the message came from, when it may have moved.
   */
  async with<T>(lookup: Lookup, address: string, work: (session: Session | undefined) => Promise<T>): Promise<T> {
    const deviceId = this.local(lookup)?.deviceId ?? (await this.store.find(lookup));
    if (deviceId === undefined) return work(undefined);
    return this.exclusive.run(deviceId, async () =>
      work(this.local(lookup) ?? (await this.take(deviceId, lookup, address))),
    );
  }

  /** Whether the sender may speak for the device of the session; true when there is none. Takes nothing over. */
  async belongsTo(lookup: Lookup, sender: Sender): Promise<boolean> {
    const session = this.local(lookup) ?? (await this.stored(lookup));
    if (!session) return true;
    const { accountId, deviceId, data } = session;
    return speaksFor(sender, { accountId, deviceId, endpointName: data.endpointName });
  }

  private async stored(lookup: Lookup): Promise<StoredSession | undefined> {
    const deviceId = await this.store.find(lookup);
    return deviceId === undefined ? undefined : this.store.read(deviceId);
  }

  /** Writes through. False when the session is no longer ours: it is dropped. */
  async update(
    session: Session,
    change: Partial<Pick<StoredSession, 'address' | 'heardAtMs' | 'expiresAtMs' | 'data'>>,
  ): Promise<boolean> {
    const next: StoredSession = { ...snapshotOf(session), ...change };
    if (!(await this.store.update(next))) {
      this.drop(session);
      return false;
    }
    this.unindex(session);
    Object.assign(session, change);
    this.index(session);
    return true;
  }

  /** Ends the session everywhere. False when a later epoch has it. */
  async close(session: Session): Promise<boolean> {
    const closed = await this.store.close(session.deviceId, session.epoch);
    this.drop(session);
    return closed;
  }

  /** Takes back what this replica had before it was restarted, and hands it over piece by piece. */
  async restore(restored: (sessions: readonly Session[]) => Promise<void>): Promise<void> {
    const devices = await this.store.owned();
    for (let at = 0; at < devices.length; at += restoreChunk) {
      const chunk = devices.slice(at, at + restoreChunk);
      const sessions = await Promise.all(chunk.map((deviceId) => this.takeBack(deviceId)));
      await restored(sessions.filter((session) => session !== undefined));
    }
  }

  private takeBack(deviceId: string): Promise<Session | undefined> {
    return this.exclusive.run(
      deviceId,
      async () => this.get(deviceId) ?? this.adopt(await this.store.take(deviceId), 'restored'),
    );
  }

  /** Forgets this replica's copy. */
  drop(session: Session): void {
    if (this.byDevice.get(session.deviceId) === session) this.byDevice.delete(session.deviceId);
    this.unindex(session);
    session.end();
    for (const listener of this.listeners) listener.ended?.(session);
  }

  dropIfOlder(deviceId: string, epoch: number): void {
    const session = this.byDevice.get(deviceId);
    if (!session || session.epoch >= epoch) return;
    this.logger.debug({ deviceId, epoch }, 'session taken over by another replica');
    this.drop(session);
  }

  private local(lookup: Lookup): Session | undefined {
    if (lookup.by === 'registration') return this.byRegistration.get(lookup.registrationId);
    return lookup.by === 'address' ? this.at(lookup.accountId, lookup.address) : undefined;
  }

  private async take(deviceId: string, lookup: Lookup, address: string): Promise<Session | undefined> {
    const held = this.byDevice.get(deviceId);
    if (held && lookup.by === 'token' && held.observationWith(lookup.token)) return held;
    // Held here, but not as the device shows it: either the device is out of date or this copy is. Redis knows.
    const registrationId = lookup.by === 'registration' ? lookup.registrationId : undefined;
    return this.adopt(await this.store.take(deviceId, { registrationId, address }), 'taken');
  }

  private async adopt(taken: TakeOver | undefined, how: Beginning): Promise<Session | undefined> {
    if (!taken) return undefined;
    const session = new Session(taken.session);
    session.greeted = true;
    await this.hold(session, taken.previousOwner, how);
    return session;
  }

  private async hold(session: Session, previousOwner: string, how: Beginning): Promise<void> {
    const before = this.byDevice.get(session.deviceId);
    if (before) this.drop(before);
    this.byDevice.set(session.deviceId, session);
    this.index(session);
    if (previousOwner !== '')
      await this.nudges.tell(previousOwner, { about: 'session', deviceId: session.deviceId, epoch: session.epoch });
    for (const listener of this.listeners) await listener.began?.(session, how);
  }

  private index(session: Session): void {
    this.byRegistration.set(session.registrationId, session);
    this.byAddress.set(addressField(session.accountId, session.address), session);
  }

  private unindex(session: Session): void {
    if (this.byRegistration.get(session.registrationId) === session) this.byRegistration.delete(session.registrationId);
    const field = addressField(session.accountId, session.address);
    if (this.byAddress.get(field) === session) this.byAddress.delete(field);
  }

  /** Nudges were lost: whoever took a session over has raised its epoch. */
  private async verify(): Promise<void> {
    for (const session of [...this.byDevice.values()]) {
      const stored = await this.store.read(session.deviceId);
      if (!stored || stored.epoch > session.epoch) this.drop(session);
    }
  }
}

const snapshotOf = (session: Session): StoredSession => ({
  deviceId: session.deviceId,
  epoch: session.epoch,
  registrationId: session.registrationId,
  accountId: session.accountId,
  address: session.address,
  heardAtMs: session.heardAtMs,
  expiresAtMs: session.expiresAtMs,
  data: session.data,
  observations: [...session.observations.values()],
});
