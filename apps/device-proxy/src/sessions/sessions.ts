import { type Clock, CLOCK, CONFIG, type Logger, LOGGER } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { DeviceProxyConfig } from '../config.js';
import { isConnection } from '../transport/peer-address.js';
import { type Sender, speaksFor } from '../transport/sender.js';
import { WakeUps } from './wake-ups.js';
import { KeyedMutex } from './keyed-mutex.js';
import { StallDetector } from './stall-detector.js';
import { isRegistered } from './registered-links.js';
import { SessionIndex } from './session-index.js';
import { Session, type StoredSession } from './session.js';
import { type Displaced, type Lookup, type NewSession, SessionStore, type TakeOver } from './session-store.js';

/** `registered`: new. `taken`: its device showed up here. `restored`: this replica had it before it was restarted. */
export type Beginning = 'registered' | 'taken' | 'restored';

type Change = Partial<Pick<StoredSession, 'address' | 'lastSeenAtMs' | 'expiresAtMs' | 'data'>>;

/** Sessions restored, or compared with Redis, at a time. */
const chunkSize = 500;

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
@Injectable()
export class Sessions {
  readonly exclusive = new KeyedMutex();
  private readonly awakeMs: number;
  private readonly index = new SessionIndex();
  /** Copies that others may have replaced while this process stood still. */
  private readonly doubted = new Set<Session>();
  /** Not all is known of them yet. */
  private readonly arriving = new Set<Session>();
  private readonly listeners: SessionListener[] = [];

  constructor(
    readonly store: SessionStore,
    private readonly wakeUps: WakeUps,
    private readonly stallDetector: StallDetector,
    @Inject(CONFIG) { awakeMs }: Pick<DeviceProxyConfig, 'awakeMs'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.awakeMs = awakeMs;
    wakeUps.on('session', ({ deviceId, epoch }) => this.dropIfOlder(deviceId, epoch));
    wakeUps.onLost(() => this.doubtAll());
    stallDetector.onStall(() => this.doubtAll());
  }

  listen(listener: SessionListener): void {
    this.listeners.push(listener);
  }

  get(deviceId: string): Session | undefined {
    return this.index.ofDevice(deviceId);
  }

  /** Not one that has to be compared with Redis first, nor one of which not all is known yet: `with` waits for that. */
  atAddress(accountId: string, address: string): Session | undefined {
    const session = this.index.atAddress(accountId, address);
    if (!session || this.isDoubted(session)) return undefined;
    // What comes over a connection has no other way.
    const waits = this.arriving.size > 0 && this.arriving.has(session) && !isConnection(address);
    return waits ? undefined : session;
  }

  /** Whether this replica has a session at the address, whatever may be said of it. */
  hasAt(accountId: string, address: string): boolean {
    return this.index.atAddress(accountId, address) !== undefined;
  }

  all(): IterableIterator<Session> {
    return this.index.all();
  }

  get size(): number {
    return this.index.size;
  }

  /** Whether the device listens now: a queue-mode device does for a while after each of its messages. */
  isListening(session: Session): boolean {
    if (session.silent || session.isElsewhere || !session.greeted) return false;
    return !session.data.queueMode || this.clock.now() - session.lastSeenAtMs < this.awakeMs;
  }

  /** A full registration. The caller holds `exclusive` of the device. */
  async open(fresh: NewSession): Promise<Session> {
    const { epoch, previousOwner, displaced } = await this.store.open(fresh);
    await this.displace(displaced);
    const { deviceId, registrationId, accountId, address, nowMs, expiresAtMs, data } = fresh;
    const session = new Session({
      deviceId,
      registrationId,
      accountId,
      address,
      epoch,
      data,
      expiresAtMs,
      lastSeenAtMs: nowMs,
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
    const held = this.local(lookup);
    if (held && this.isDoubted(held)) await this.isOurs(held);
    const deviceId = this.local(lookup)?.deviceId ?? (await this.store.find(lookup));
    if (deviceId === undefined) return work(undefined);
    return this.exclusive.run(deviceId, async () =>
      work(this.local(lookup) ?? (await this.takeOver(deviceId, lookup, address))),
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

  /** Asks Redis: true while no later epoch has the session. One that is not this replica's any more is dropped. */
  async isOurs(session: Session): Promise<boolean> {
    if (session.isOver) return false;
    const epoch = await this.store.epochOf(session.deviceId);
    this.doubted.delete(session);
    if (epoch !== session.epoch && !session.isOver) this.drop(session);
    return !session.isOver;
  }

  /** A registration update that changes nothing but the time. False when the session is no longer ours: it is dropped. */
  async renew(session: Session, lastSeenAtMs: number, expiresAtMs: number): Promise<boolean> {
    const { deviceId, epoch } = session;
    if (!(await this.store.renew({ deviceId, epoch, lastSeenAtMs, expiresAtMs }))) {
      this.drop(session);
      return false;
    }
    session.lastSeenAtMs = lastSeenAtMs;
    session.expiresAtMs = expiresAtMs;
    return true;
  }

  /** Writes through. False when the session is no longer ours: it is dropped. */
  async update(session: Session, change: Change): Promise<boolean> {
    return (await this.write(session, change, true)) === 'written';
  }

  /** The device has a path more since it registered; its next update that lists anything says so itself. */
  async addLink(session: Session, path: string): Promise<void> {
    await this.exclusive.run(session.deviceId, async () => {
      const { data } = session;
      if (session.isOver || isRegistered(data.links, path)) return;
      await this.update(session, { data: { ...data, links: [...data.links, { path, obs: true }] } });
    });
  }

  /** The device was heard from another address. False when that is another device's, or the session no longer ours. */
  async move(session: Session, address: string): Promise<boolean> {
    return (await this.write(session, { address }, false)) === 'written';
  }

  private async write(session: Session, change: Change, claims: boolean): Promise<'written' | 'occupied' | 'lost'> {
    const updated = await this.store.update({ ...snapshotOf(session), ...change }, claims);
    if (updated === 'occupied') return updated;
    if (!updated) {
      this.drop(session);
      return 'lost';
    }
    await this.displace(updated.displaced);
    this.index.remove(session);
    Object.assign(session, change);
    session.isElsewhere = false;
    this.index.add(session);
    return 'written';
  }

  /** Another device has its address now: the replica that has its session forgets the address until the device shows its registration. */
  private async displace(displaced: Displaced | undefined): Promise<void> {
    if (!displaced) return;
    const { deviceId, epoch, owner } = displaced;
    this.logger.info({ deviceId }, 'another device uses the address: nothing is sent to this one until it updates');
    this.dropIfOlder(deviceId, epoch);
    if (owner !== '') await this.wakeUps.send(owner, { about: 'session', deviceId, epoch });
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
    for (let at = 0; at < devices.length; at += chunkSize) {
      const chunk = devices.slice(at, at + chunkSize);
      const sessions = await Promise.all(chunk.map((deviceId) => this.takeBack(deviceId)));
      await restored(sessions.filter((session) => session !== undefined));
    }
  }

  private takeBack(deviceId: string): Promise<Session | undefined> {
    return this.exclusive.run(
      deviceId,
      async () => this.get(deviceId) ?? this.adopt(await this.store.takeOver(deviceId), 'restored'),
    );
  }

  /** Forgets this replica's copy. */
  drop(session: Session): void {
    this.index.remove(session);
    this.doubted.delete(session);
    session.markOver();
    for (const listener of this.listeners) listener.ended?.(session);
  }

  dropIfOlder(deviceId: string, epoch: number): void {
    const session = this.index.ofDevice(deviceId);
    if (!session || session.epoch >= epoch) return;
    this.logger.debug({ deviceId, epoch }, 'session taken over by another replica');
    this.drop(session);
  }

  private local(lookup: Lookup): Session | undefined {
    if (lookup.by === 'registration') return this.index.ofRegistration(lookup.registrationId);
    return lookup.by === 'address' ? this.index.atAddress(lookup.accountId, lookup.address) : undefined;
  }

  private async takeOver(deviceId: string, lookup: Lookup, address: string): Promise<Session | undefined> {
    const held = this.index.ofDevice(deviceId);
    if (held && lookup.by === 'token' && held.observations.withToken(lookup.token) && (await this.isOurs(held)))
      return held;
    // Held here, but not as the device shows it: either the device is out of date or this copy is. Redis knows.
    const expected =
      // The caller moves the session once it knows that the observation is the session's.
      lookup.by === 'token'
        ? {}
        : { address, ...(lookup.by === 'registration' && { registrationId: lookup.registrationId }) };
    return this.adopt(await this.store.takeOver(deviceId, expected), 'taken');
  }

  private async adopt(taken: TakeOver | undefined, how: Beginning): Promise<Session | undefined> {
    if (!taken) return undefined;
    const session = new Session(taken.session);
    session.greeted = true;
    session.isElsewhere = taken.isElsewhere;
    await this.displace(taken.displaced);
    await this.hold(session, taken.previousOwner, how);
    return session;
  }

  private async hold(session: Session, previousOwner: string, how: Beginning): Promise<void> {
    const before = this.index.ofDevice(session.deviceId);
    if (before) this.drop(before);
    this.index.add(session);
    this.arriving.add(session);
    const { deviceId, epoch } = session;
    try {
      if (previousOwner !== '') await this.wakeUps.send(previousOwner, { about: 'session', deviceId, epoch });
      for (const listener of this.listeners) await listener.began?.(session, how);
    } catch (error) {
      // One of which something is not known yet, its audience for example, is none: the next message takes it again.
      this.drop(session);
      throw error;
    } finally {
      this.arriving.delete(session);
    }
  }

  private isDoubted(session: Session): boolean {
    this.stallDetector.detect();
    return this.doubted.size > 0 && this.doubted.has(session);
  }

  /** Nudges were lost, or this process stood still: whoever took a session over has raised its epoch. */
  private doubtAll(): void {
    for (const session of this.index.all()) this.doubted.add(session);
    this.verify().catch((error: unknown) => {
      // Each is asked for when its device or a command comes, and all of them at the next write of what was heard.
      this.logger.warn({ err: error }, 'sessions not compared with Redis');
    });
  }

  private async verify(): Promise<void> {
    const all = [...this.index.all()];
    for (let at = 0; at < all.length; at += chunkSize) {
      const chunk = all.slice(at, at + chunkSize).filter((session) => !session.isOver);
      const ours = await this.store.renewAll(
        chunk.map(({ deviceId, epoch, lastSeenAtMs }) => ({ deviceId, epoch, lastSeenAtMs })),
      );
      chunk.forEach((session, n) => {
        this.doubted.delete(session);
        if (ours[n] === false && !session.isOver) this.drop(session);
      });
    }
  }
}

const snapshotOf = (session: Session): StoredSession => ({
  deviceId: session.deviceId,
  epoch: session.epoch,
  registrationId: session.registrationId,
  accountId: session.accountId,
  address: session.address,
  lastSeenAtMs: session.lastSeenAtMs,
  expiresAtMs: session.expiresAtMs,
  data: session.data,
  observations: [...session.observations.all()],
});
