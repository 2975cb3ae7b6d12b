import { type Clock, CLOCK, CONFIG, KeyedMutex, type Logger, LOGGER } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { DeviceProxyConfig } from '../config.js';
import { outlivesReplica } from '../transport/peer-address.js';
import { mayActFor, type Sender } from '../transport/sender.js';
import { WakeUps } from './wake-ups.js';
import { StallDetector } from './stall-detector.js';
import { sweepLeaseMs } from './limits.js';
import { mayBeGateway, RegisteredPaths } from './registered-links.js';
import type { EndReason } from './session-facts.js';
import { SessionIndex } from './session-index.js';
import { Session, type StoredSession } from './session.js';
import {
  type Displaced,
  type Lookup,
  type NewSession,
  type Renewal,
  SessionStore,
  type TakeOver,
} from './session-store.js';

/** `registered`: new. `taken`: its device sent a message here. `restored`: this replica had it before it was restarted. */
export type SessionOrigin = 'registered' | 'taken' | 'restored';

type Change = Partial<Pick<StoredSession, 'address' | 'lastSeenAtMs' | 'expiresAtMs' | 'data'>>;

/** Sessions restored, or compared with Redis, at a time. */
const chunkSize = 500;

/** Called when this replica gains or loses a session. */
export interface SessionListener {
  /** Awaited before anything else happens to the device. `previousAddress`: '' when the session is new. */
  began?(session: Session, how: SessionOrigin, previousAddress: string): void | Promise<void>;
  ended?(session: Session): void;
  /** The session of a device has ended everywhere, not only here. Awaited. */
  closed?(session: Session): Promise<void>;
}

/**
 * The sessions that this replica owns. Work on one device is serialised; a session of another replica is taken over when
 * its device sends a message here. A copy with an outdated epoch is dropped on a wake-up, or at the next write.
 */
@Injectable()
export class Sessions {
  readonly exclusive = new KeyedMutex();
  private readonly index = new SessionIndex();
  /** Copies that other replicas may have replaced while this process stalled, or while wake-ups were lost. */
  private readonly doubted = new Set<Session>();
  /** Sessions that are still loading. */
  private readonly arriving = new Set<Session>();
  /** Sessions that had devices behind them when they came here. */
  private readonly gateways = new WeakSet<Session>();
  private readonly listeners: SessionListener[] = [];

  constructor(
    readonly store: SessionStore,
    private readonly wakeUps: WakeUps,
    private readonly stallDetector: StallDetector,
    @Inject(CONFIG) private readonly config: Pick<DeviceProxyConfig, 'awakeMs'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
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

  /** Excludes sessions that must first be compared with Redis or are still loading: `withSession` waits for those. */
  atAddress(accountId: string, address: string): Session | undefined {
    const session = this.index.atAddress(accountId, address);
    if (!session || this.isDoubted(session)) return undefined;
    // Connections that do not outlive a replica deliver to this replica only.
    const waits = this.arriving.size > 0 && this.arriving.has(session) && outlivesReplica(address);
    return waits ? undefined : session;
  }

  /** Whether this replica has a session at the address, verified or not. */
  hasAt(accountId: string, address: string): boolean {
    return this.index.atAddress(accountId, address) !== undefined;
  }

  /** When the session at the address expires, verified or not. */
  expiryAt(accountId: string, address: string): number | undefined {
    return this.index.atAddress(accountId, address)?.expiresAtMs;
  }

  all(): IterableIterator<Session> {
    return this.index.all();
  }

  behind({ deviceId }: Pick<Session, 'deviceId'>): ReadonlySet<Session> {
    return this.index.behind(deviceId);
  }

  /** Whether devices behind this one may have sessions, on this replica or only in Redis. */
  mayHaveBehind(session: Session): boolean {
    return this.gateways.has(session) || this.behind(session).size > 0;
  }

  /** The session whose observation has the token: that of the gateway itself, or of a device behind it. */
  observing(gateway: Session, token: string): Session | undefined {
    if (gateway.observations.withToken(token)) return gateway;
    for (const session of this.behind(gateway)) if (session.observations.withToken(token)) return session;
    return undefined;
  }

  get size(): number {
    return this.index.size;
  }

  /** Whether the device is listening: a queue-mode device does for a while after each of its messages. */
  isListening(session: Session): boolean {
    if (session.gateway) return session.isRegistrationAnswered && this.isListening(session.gateway);
    if (session.silent || session.isElsewhere || !session.isRegistrationAnswered) return false;
    // The absolute difference, so that no device counts as awake for long after the clock was set back.
    return !session.data.queueMode || Math.abs(this.clock.now() - session.lastSeenAtMs) < this.config.awakeMs;
  }

  /** A full registration. The caller holds `exclusive` of the device. `gateway`: the one that the device is behind. */
  async open(fresh: NewSession, gateway?: Session): Promise<Session> {
    const { epoch, previousOwner, displaced, hasDevicesBehind } = await this.store.open(fresh);
    await this.displace(displaced);
    const { deviceId, registrationId, accountId, address, nowMs, expiresAtMs, data } = fresh;
    const opened = { deviceId, registrationId, accountId, address, epoch, data, expiresAtMs, observations: [] };
    const session = new Session({ ...opened, lastSeenAtMs: nowMs }, gateway);
    if (hasDevicesBehind) this.gateways.add(session);
    await this.adoptSession(session, { previousOwner, previousAddress: '' }, 'registered');
    return session;
  }

  /**
   * Finds the session a message belongs to, taking it over if need be, and runs `work` on it; no other work on the device
   * runs in between. `address`: where the message came from, when the device may have moved.
   */
  async withSession<T>(
    lookup: Lookup,
    address: string,
    work: (session: Session | undefined) => Promise<T>,
  ): Promise<T> {
    const local = this.local(lookup);
    if (local && this.isDoubted(local)) await this.confirmOwnership(local);
    const deviceId = this.local(lookup)?.deviceId ?? (await this.store.find(lookup));
    if (deviceId === undefined) return work(undefined);
    return this.exclusive.run(deviceId, async () =>
      work(this.local(lookup) ?? (await this.takeOver(deviceId, lookup, address))),
    );
  }

  /** Whether the sender may act for the device of the session; true when there is none. Takes no session over. */
  async belongsTo(lookup: Lookup, sender: Sender): Promise<boolean> {
    const session = this.local(lookup) ?? (await this.stored(lookup));
    if (!session) return true;
    const { accountId, deviceId, data } = session;
    return mayActFor(sender, { accountId, deviceId, endpointName: data.endpointName });
  }

  private async stored(lookup: Lookup): Promise<StoredSession | undefined> {
    const deviceId = await this.store.find(lookup);
    return deviceId === undefined ? undefined : this.store.read(deviceId);
  }

  /**
   * Compares the epoch of the session, and that of its gateway's session, with Redis. True if the session is still this
   * replica's; otherwise it is dropped.
   */
  async confirmOwnership(session: Session): Promise<boolean> {
    if (session.isOver) return false;
    if (session.gateway && !(await this.confirmOwnership(session.gateway))) return false;
    const epoch = await this.store.epochOf(session.deviceId);
    if (epoch === session.epoch) this.doubted.delete(session);
    else await this.dropLost([session]);
    return !session.isOver;
  }

  /** A registration update that only extends the lifetime. False when the session is lost; it is then dropped. */
  async renew(session: Session, lastSeenAtMs: number, expiresAtMs: number): Promise<boolean> {
    const { deviceId, epoch } = session;
    // Before the write, so that `verify` stores no earlier time after it.
    session.expiresAtMs = expiresAtMs;
    if (!(await this.store.renew({ deviceId, epoch, lastSeenAtMs, expiresAtMs }))) {
      await this.dropLost([session]);
      return false;
    }
    session.lastSeenAtMs = lastSeenAtMs;
    return true;
  }

  /** Writes through to Redis. False when the session is lost to another replica; it is then dropped. */
  async update(session: Session, change: Change): Promise<boolean> {
    return (await this.write(session, change, true)) === 'written';
  }

  /** Adds a path that was created after the registration; the next update with links contains it. */
  async addLink(session: Session, path: string): Promise<void> {
    await this.exclusive.run(session.deviceId, async () => {
      const { data } = session;
      if (session.isOver || new RegisteredPaths(data.links).isRegistered(path)) return;
      await this.update(session, { data: { ...data, links: [...data.links, { path, obs: true }] } });
    });
  }

  /** The device sent a message from another address. False when another device uses it, or the session is lost. */
  async move(session: Session, address: string): Promise<boolean> {
    return (await this.write(session, { address }, false)) === 'written';
  }

  private async write(session: Session, change: Change, claims: boolean): Promise<'written' | 'occupied' | 'lost'> {
    // As in `renew`.
    session.expiresAtMs = change.expiresAtMs ?? session.expiresAtMs;
    const updated = await this.store.update({ ...session, ...change }, claims);
    if (updated === 'occupied') return updated;
    if (!updated) {
      await this.dropLost([session]);
      return 'lost';
    }
    await this.displace(updated.displaced);
    // Another replica has taken the session over since it was written.
    if (session.isOver) return 'lost';
    this.index.remove(session);
    Object.assign(session, change);
    session.isElsewhere = false;
    this.index.add(session);
    return 'written';
  }

  /** Another device uses its address now: the owner of its session stops using the address until the device updates. */
  private async displace(displaced: Displaced | undefined): Promise<void> {
    if (!displaced) return;
    const { deviceId, epoch, owner } = displaced;
    this.logger.info({ deviceId }, 'another device uses the address: nothing is sent to this one until it updates');
    this.dropIfOlder(deviceId, epoch);
    if (owner !== '') await this.wakeUps.send(owner, { about: 'session', deviceId, epoch });
  }

  /**
   * From now on no message revives the session. Returns when it ended; undefined when a later epoch has the session or its
   * lifetime is over, and then the session is dropped.
   */
  async claimEnd(session: Session, reason: EndReason): Promise<number | undefined> {
    const nowMs = this.clock.now();
    const claim = { reason, endedAtMs: nowMs, leaseUntilMs: nowMs + sweepLeaseMs };
    const endedAtMs = await this.store.claimEnd(session, claim);
    if (endedAtMs === undefined) await this.dropLost([session]);
    return endedAtMs;
  }

  /**
   * For a registration that could not be announced: nothing uses its session, and the device is to register again. If it
   * does not, its session is announced as expired after its lifetime: Kafka knows this session or the one it replaced.
   */
  async withhold(session: Session): Promise<void> {
    try {
      await this.store.withhold(session);
    } finally {
      this.drop(session);
    }
  }

  /** Ends the session everywhere. False when a later epoch has it. */
  async close(session: Session): Promise<boolean> {
    const closed = await this.store.close(session.deviceId, session.epoch);
    this.drop(session);
    if (closed) await this.tellClosed(session);
    return closed;
  }

  /** Called when a session has ended everywhere, so that what depends on it ends, too. */
  async tellClosed(session: Session): Promise<void> {
    for (const listener of this.listeners) await listener.closed?.(session);
  }

  /** Restores the sessions that this replica owned before a restart, in chunks. Calls `onRestored` for each chunk. */
  async restore(onRestored: (sessions: readonly Session[]) => Promise<void>): Promise<void> {
    const devices = await this.store.owned();
    for (let at = 0; at < devices.length; at += chunkSize) {
      const chunk = devices.slice(at, at + chunkSize);
      const sessions = await Promise.all(chunk.map((deviceId) => this.restoreOwned(deviceId)));
      const own = sessions.filter((session) => session !== undefined);
      await onRestored(own.flatMap((session) => [session, ...this.behind(session)]));
    }
  }

  private restoreOwned(deviceId: string): Promise<Session | undefined> {
    return this.exclusive.run(
      deviceId,
      async () => this.get(deviceId) ?? this.adopt(await this.store.takeOver(deviceId), 'restored'),
    );
  }

  /** Takes over the sessions of the devices behind a gateway, whose session has just become this replica's. */
  private async claimDevicesBehind(gateway: Session, how: SessionOrigin, previousAddress: string): Promise<void> {
    const { deviceId: gatewayId } = gateway;
    const devices = await this.store.behind(gatewayId);
    const claim = (deviceId: string): Promise<void> =>
      this.exclusive.run(deviceId, async () => {
        const taken = await this.store.takeOver(deviceId, { gatewayId });
        if (!taken || gateway.isOver) return;
        const session = new Session(taken.session, gateway);
        session.isRegistrationAnswered = true;
        session.isElsewhere = taken.isElsewhere;
        await this.adoptSession(session, { ...taken, previousAddress }, how);
      });
    await Promise.all(devices.map(claim));
  }

  /** Drops this replica's copy of the session, and the copies of devices behind it if the device is a gateway. */
  drop(session: Session): void {
    for (const behind of [...this.behind(session)]) this.drop(behind);
    this.index.remove(session);
    this.doubted.delete(session);
    session.markOver();
    for (const listener of this.listeners) listener.ended?.(session);
  }

  /**
   * Drops sessions that are not this replica's in Redis: others have taken them over. If Redis has lost its data instead,
   * a device that does not register again is announced as expired after its lifetime.
   */
  async dropLost(sessions: readonly Session[]): Promise<void> {
    const open = sessions.filter(({ isOver }) => !isOver);
    const lost = new Set(open.flatMap((session) => [session, ...this.behind(session)]));
    await this.store.keepLost([...lost].map(lastStateOf));
    for (const session of lost) if (!session.isOver) this.drop(session);
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
    const local = this.index.ofDevice(deviceId);
    if (local && lookup.by === 'token' && this.observing(local, lookup.token) && (await this.confirmOwnership(local)))
      return local;
    // This replica may hold a session that differs from what the device shows: one of the two is outdated, and Redis decides.
    const registrationId = lookup.by === 'registration' ? lookup.registrationId : undefined;
    // With a token, the caller moves the session once it knows that the observation is the session's.
    const expected = lookup.by === 'token' ? {} : { address, registrationId };
    return this.adopt(await this.store.takeOver(deviceId, expected), 'taken');
  }

  private async adopt(taken: TakeOver | undefined, how: SessionOrigin): Promise<Session | undefined> {
    if (!taken) return undefined;
    const session = new Session(taken.session);
    if (taken.hasDevicesBehind) this.gateways.add(session);
    session.isRegistrationAnswered = true;
    session.isElsewhere = taken.isElsewhere;
    await this.displace(taken.displaced);
    await this.adoptSession(session, taken, how);
    return session;
  }

  private async adoptSession(
    session: Session,
    { previousOwner, previousAddress }: Pick<TakeOver, 'previousOwner' | 'previousAddress'>,
    how: SessionOrigin,
  ): Promise<void> {
    const before = this.index.ofDevice(session.deviceId);
    if (before) this.drop(before);
    this.index.add(session);
    this.arriving.add(session);
    const { deviceId, epoch } = session;
    try {
      if (previousOwner !== '') await this.wakeUps.send(previousOwner, { about: 'session', deviceId, epoch });
      await this.begin(session, how, previousAddress);
    } catch (error) {
      // A session that could not be loaded completely is dropped: the next message takes it over again.
      this.drop(session);
      throw error;
    } finally {
      this.arriving.delete(session);
    }
  }

  /** Ends early once the session is over, because another replica has taken it: what begins after its end would never end. */
  private async begin(session: Session, how: SessionOrigin, previousAddress: string): Promise<void> {
    for (const listener of this.listeners) {
      if (session.isOver) return;
      await listener.began?.(session, how, previousAddress);
    }
    if (!session.isOver && how !== 'registered' && mayBeGateway(session.data.links))
      await this.claimDevicesBehind(session, how, previousAddress);
  }

  private isDoubted(session: Session): boolean {
    this.stallDetector.detect();
    return this.doubted.size > 0 && this.doubted.has(session);
  }

  /** Wake-ups were lost, or this process stalled: a replica that took over a session has raised its epoch. */
  private doubtAll(): void {
    for (const session of this.index.all()) this.doubted.add(session);
    this.verify().catch((error: unknown) => {
      // Each is checked when a message or command arrives for it, and all at the next write of last-seen times.
      this.logger.warn({ err: error }, 'sessions not compared with Redis');
    });
  }

  private async verify(): Promise<void> {
    const all = [...this.index.all()];
    for (let at = 0; at < all.length; at += chunkSize) {
      const chunk = all.slice(at, at + chunkSize).filter((session) => !session.isOver);
      const owned = await this.store.renewAll(chunk.map(renewalOf));
      chunk.forEach((session, n) => {
        if (owned[n] === true) this.doubted.delete(session);
      });
      await this.dropLost(chunk.filter((_, n) => owned[n] === false));
    }
  }
}

/** With the time of the expiry, because a failover of Redis may have lost the last renewal. Redis sets that of devices behind gateways. */
const renewalOf = ({ deviceId, epoch, lastSeenAtMs, expiresAtMs, gateway }: Session): Renewal => ({
  deviceId,
  epoch,
  lastSeenAtMs,
  ...(!gateway && { expiresAtMs }),
});

/** A device behind a gateway stays as long as the gateway. */
const lastStateOf = (session: Session): Omit<StoredSession, 'observations'> => ({
  ...session,
  expiresAtMs: Math.max(session.expiresAtMs, session.gateway?.expiresAtMs ?? 0),
});
