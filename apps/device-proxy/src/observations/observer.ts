import { covers, gatewayPath } from '@lanyard/lwm2m';
import { Injectable } from '@nestjs/common';
import { DownlinkClient, type DeviceReply, type OnSent } from '../downlink/downlink-client.js';
import { type ObserveSequence, type ObserveSequences, writeObserveSequences } from '../sessions/observe-sequence.js';
import { type Observation, type Target, targetKey } from '../sessions/observations.js';
import { RegisteredPaths } from '../sessions/registered-links.js';
import type { AnswerWithValue, ReportWithAnswer } from '../sessions/pending-subscriber.js';
import type { Session } from '../sessions/session.js';
import { LastSeen } from '../sessions/last-seen.js';
import { Sessions } from '../sessions/sessions.js';
import { isConnection, outlivesItsDevice, outlivesReplica } from '../transport/peer-address.js';
import { DeviceLinks } from '../transport/device-links.js';
import { WorkingProvider } from '../working-provider.js';
import { Values } from './values.js';

export interface Observed {
  reply: DeviceReply;
  /** Whether the device now reports changes of the path. */
  observing: boolean;
}

/** Announces the first value, with the answer of the subscription that it is for. */
export type ReportFirst = (observed: Observed, report: ReportWithAnswer) => Promise<void>;

/** Delay before a peer is released: the message that ended its session may be retransmitted, and its answer repeated. */
const releaseDelayMs = 10_000;

/** Observations end with their connection; a new connection has none (RFC 7641 §3.1: a client is its endpoint). */
const keepsObservations = (address: string, previousAddress: string): boolean =>
  address === previousAddress ? outlivesReplica(address) : !isConnection(address) && !isConnection(previousAddress);

/** Observations of devices: one for each path and set of attributes, however many keys subscribed to it. */
@Injectable()
export class Observer extends WorkingProvider {
  constructor(
    private readonly sessions: Sessions,
    lastSeen: LastSeen,
    private readonly downlink: DownlinkClient,
    private readonly links: DeviceLinks,
    private readonly values: Values,
  ) {
    super('release of peers');
    lastSeen.setObserveSequenceSource((session) => this.observeSequencesOf(session));
    sessions.listen({
      began: async (session, how, previousAddress) => {
        const { address, reachedAt } = session;
        this.links.to(address).hold(address);
        // No device is connected to a process that has just started.
        if (how === 'restored' && isConnection(reachedAt)) session.silent = true;
        if (keepsObservations(reachedAt, previousAddress)) this.adoptAll(session);
        else if (how !== 'restored') await this.loseConnected(session);
      },
      ended: (session) => {
        for (const { token } of session.observations.all())
          this.links.to(session.address).forget(session.address, token);
        this.releaseLater(session.accountId, session.address);
      },
    });
  }

  /** Observes one path, or several with a composite observation, and delivers the first values to the subscribers. */
  async observe(session: Session, target: Target, onSent?: OnSent, reportFirst?: ReportFirst): Promise<Observed> {
    const { path, attributes, together } = target;
    const key = targetKey(target);
    const { reply, token, accept } = await this.downlink.observe(session, target, onSent);
    const observing = reply.code.startsWith('2.') && token !== undefined;
    // Remembered before the first await, because the next notification may already be on its way.
    if (observing)
      this.remember(session, { path, attributes, token, ...(accept !== undefined && { accept }), together });
    try {
      const report = (answer?: AnswerWithValue): Promise<void> => this.reportFirstValue(session, target, reply, answer);
      if (reply.code.startsWith('2.')) await (reportFirst ? reportFirst({ reply, observing }, report) : report());
      if (observing) await this.store(session, key);
    } catch (error) {
      // Treated as not observed: the next request observes the path again and gets the first value.
      if (observing) this.forget(session, key, token);
      throw error;
    }
    return { reply, observing };
  }

  /** Reads a path that is observed already, for keys that have had no value of it. */
  async readObserved(session: Session, path: string, keyIds: readonly string[]): Promise<DeviceReply> {
    const reply = await this.downlink.read(session, path);
    if (reply.code === '2.05') await this.values.report(session, { path, ...reply, cause: 'notify', audience: keyIds });
    return reply;
  }

  /**
   * Cancels an observation after its last subscription. A device that is not listening is told when it next reports.
   * @param key As `targetKey` returns it.
   */
  async cancel(session: Session, key: string): Promise<void> {
    const observation = session.observations.get(key);
    if (!observation) return;
    session.observations.delete(key);
    await this.sessions.store.dropObservation(session, observation);
    try {
      if (this.sessions.isListening(session)) await this.downlink.cancel(session, observation);
    } catch (error) {
      this.logger.debug({ err: error, deviceId: session.deviceId, path: key }, 'cancellation not confirmed');
    } finally {
      this.links.to(session.address).forget(session.address, observation.token);
    }
  }

  /** The device ended the observation. */
  async ended(session: Session, observation: Observation): Promise<void> {
    session.requireReconciliation();
    session.observations.delete(targetKey(observation));
    this.links.to(session.address).forget(session.address, observation.token);
    await this.sessions.store.dropObservation(session, observation);
  }

  /** The device deleted the path: the observations of everything below it ended with it, without a message. */
  async deleted(session: Session, path: string): Promise<void> {
    await this.endWhere(session, (observed) => covers(path, observed));
  }

  /** Ends the observations of objects and instances that the new link list of the device no longer contains. */
  async listed(session: Session): Promise<void> {
    const registered = new RegisteredPaths(session.data.links);
    await this.endWhere(session, (observed) => observed !== gatewayPath && !registered.isRegistered(observed));
  }

  /**
   * Ends the single observations of paths for which `isOver` is true, except automatic ones. Subscribers keep their
   * subscription: the next reconciliation observes the path again, or learns that it no longer exists.
   */
  private async endWhere(session: Session, isOver: (path: string) => boolean): Promise<void> {
    const over = session.observations
      .all()
      .filter(({ auto, path, together }) => auto !== true && together === undefined && isOver(path));
    await Promise.all(over.map((observation) => this.ended(session, observation)));
  }

  /**
   * The device's address changed: its notifications, and those of devices behind it, now come from the new one. `observes`: the
   * device has shown that its observations continue, although a connection has ended.
   */
  async moved(session: Session, previousAddress: string, { observes = false } = {}): Promise<void> {
    const all = [session, ...this.sessions.behind(session)];
    const newest = all.map((one) => this.newestAt(previousAddress, one));
    for (const { observations } of all)
      for (const { token } of observations.all()) this.links.to(previousAddress).forget(previousAddress, token);
    this.links.to(session.address).hold(session.address);
    // The device may have lost the connection silently, and then answers on it would never come.
    if (outlivesItsDevice(previousAddress))
      this.links.to(previousAddress).disconnect(previousAddress, 'The device has another connection');
    this.releaseLater(session.accountId, previousAddress);
    if (!observes && (isConnection(previousAddress) || isConnection(session.address))) {
      for (const one of all) one.requireReconciliation();
      await Promise.all(all.map((one) => this.loseConnected(one)));
      return;
    }
    all.forEach((one, n) => {
      one.newestBefore = newest[n];
      this.adoptAll(one);
    });
  }

  /** Drops observations that ended with the connection (RFC 8323 §7.4). Paths with subscribers are observed again after the update. */
  private async loseConnected(session: Session): Promise<void> {
    const over = session.observations.all();
    for (const observation of over) session.observations.delete(targetKey(observation));
    const dropped = over.map((observation) => this.sessions.store.dropObservation(session, observation));
    // Adopted here even if Redis fails: when the device repeats its update, its address is no longer another one.
    await Promise.all([...dropped, this.adoptAutomatic(session)]);
  }

  /** Adopts the automatic observations that the device lists in its registration (spec §2.4 rule 3). */
  async adoptAutomatic(session: Session): Promise<void> {
    const adopted: string[] = [];
    for (const { path, autoToken } of session.data.links) {
      const known = session.observations.get(path);
      if (autoToken === undefined || (known && (!known.auto || known.token === autoToken))) continue;
      const observation = { path, token: autoToken, auto: true };
      this.remember(session, observation);
      this.adopt(session, observation);
      adopted.push(path);
    }
    await Promise.all(adopted.map((path) => this.store(session, path)));
  }

  /** The positions as stored in Redis, so that the next owner of the session continues the same order. */
  private observeSequencesOf(session: Session): string {
    const { reachedAt } = session;
    return outlivesReplica(reachedAt) ? writeObserveSequences(this.newestAt(reachedAt, session)) : '';
  }

  private newestAt(address: string, { observations }: Session): ObserveSequences {
    const link = this.links.to(address);
    const nowMs = this.clock.now();
    const all = new Map<string, ObserveSequence>();
    for (const { token } of observations.all()) {
      const newest = link.newest(address, token);
      if (newest) all.set(token, { number: newest.number, print: newest.print, atMs: nowMs - newest.ageMs });
    }
    return all;
  }

  private adoptAll(session: Session): void {
    for (const observation of session.observations.all()) this.adopt(session, observation);
    session.newestBefore = undefined;
  }

  private adopt(session: Session, observation: Observation): void {
    const { token } = observation;
    const before = session.newestBefore?.get(token);
    // Not negative: the clocks of two replicas may differ a little.
    const ageMs = before && Math.max(0, this.clock.now() - before.atMs);
    const newest = before && ageMs !== undefined ? { number: before.number, print: before.print, ageMs } : undefined;
    this.links.to(session.address).adopt(session.address, token, this.downlink.requestOf(session, observation), newest);
  }

  private releaseLater(accountId: string, address: string): void {
    this.work.later(releaseDelayMs, () => {
      if (!this.sessions.hasAt(accountId, address)) this.links.to(address).release(address);
    });
  }

  private remember(session: Session, observation: Observation): void {
    const before = session.observations.get(targetKey(observation));
    if (before && before.token !== observation.token)
      this.links.to(session.address).forget(session.address, before.token);
    session.observations.set(observation);
  }

  private forget(session: Session, key: string, token: string): void {
    if (session.observations.get(key)?.token !== token) return;
    session.observations.delete(key);
    this.links.to(session.address).forget(session.address, token);
  }

  private async store(session: Session, key: string): Promise<void> {
    const observation = session.observations.get(key);
    if (!observation) return;
    const stored = await this.sessions.store.putObservation(session, observation, session.gateway?.deviceId);
    if (!stored) await this.sessions.dropLost([session]);
  }

  private reportFirstValue(
    session: Session,
    target: Target,
    reply: DeviceReply,
    answer: AnswerWithValue | undefined,
  ): Promise<void> {
    const { path, together } = target;
    if (together) return this.values.reportComposite(session, path, reply, { answer });
    const { payload, contentType, maxAgeSeconds } = reply;
    const audience = answer ? session.singleSubscribers(target) : session.answeredSubscribers(target);
    return this.values.report(session, {
      path,
      payload,
      contentType,
      maxAgeSeconds,
      cause: 'notify',
      audience,
      answer,
    });
  }
}
