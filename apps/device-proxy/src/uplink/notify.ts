import { gatewayPath, Malformed, removeRoot } from '@lanyard/lwm2m';
import { type Logger, LOGGER, Tracing, within } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { mediaTypeOf } from '../downlink/formats.js';
import { UnreadableReports } from '../events/unreadable-reports.js';
import { Lwm2mGateways } from '../lwm2m-gateways/lwm2m-gateways.js';
import { Observer } from '../observations/observer.js';
import { Values } from '../observations/values.js';
import { withoutRoot } from '../sessions/alternate-root.js';
import { withoutPrefix } from '../sessions/gateway-link.js';
import { LastSeen } from '../sessions/last-seen.js';
import type { Observation } from '../sessions/observations.js';
import type { Session } from '../sessions/session.js';
import { Sessions } from '../sessions/sessions.js';
import { SubscriptionReconciler } from '../subscriptions/subscription-reconciler.js';
import { isConnection, outlivesReplica, viaOf } from '../transport/peer-address.js';
import type { UplinkNotification } from '../transport/uplink-request.js';
import { Reconnection } from './reconnection.js';

/**
 * Hex digits of a token that this service generated, which identifies the device. A token that a device chose for an
 * automatic observation (`aobs`) is shorter, and every device of a model may use the same one.
 */
const tokenDigits = 16;

/**
 * Notifications (LwM2M 1.1 core §6.4.2). `handleNotification` resolves true when Kafka has the value: only then is the
 * notification acknowledged. False: no observation has the token, and the device gets a Reset. A rejection leaves the device
 * without an answer, and it sends the notification again. For the first block of a larger notification, true means that its
 * session is here.
 */
@Injectable()
export class Notify {
  constructor(
    private readonly sessions: Sessions,
    private readonly lastSeen: LastSeen,
    private readonly values: Values,
    private readonly observer: Observer,
    private readonly reconciler: SubscriptionReconciler,
    private readonly gateways: Lwm2mGateways,
    private readonly reconnection: Reconnection,
    private readonly unreadable: UnreadableReports,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly tracing: Tracing,
  ) {}

  handleNotification(notification: UplinkNotification): Promise<boolean> {
    const known = this.known(notification);
    if (known) return this.accept(known, notification);
    return this.find(notification).then((found) => (found ? this.accept(found, notification) : false));
  }

  /** Not `async`, because that costs 600 bytes and another microtask per value. */
  private accept([session, observation]: [Session, Observation], notification: UplinkNotification): Promise<boolean> {
    const { lastSeen } = this;
    lastSeen.recordMessage(session);
    if (notification.partial) return Promise.resolve(true);
    if (!notification.code.startsWith('2.'))
      return this.endObservation(session, observation, notification.code).then(() => true);
    return this.report(session, observation, notification).then(() => {
      // The value is stored, and may be the newest one now.
      lastSeen.markUnwritten(session);
      if (observation.path === gatewayPath) this.gateways.applyReportedList(session, notification);
      if (!notification.ended) return true;
      return this.endObservation(session, observation, notification.code).then(() => true);
    });
  }

  private known({ sender, address, token }: UplinkNotification): [Session, Observation] | undefined {
    const session = this.sessions.atAddress(sender.accountId, address);
    return session && this.observed(session, token);
  }

  /** The observation that has the token: of the device itself, or of a device behind it. */
  private observed(at: Session, token: string): [Session, Observation] | undefined {
    const session = this.sessions.observing(at, token);
    const observation = session?.observations.withToken(token);
    return session && observation && [session, observation];
  }

  /** For an observation that was made by another replica, or before a restart. */
  private async find({ sender, address, token }: UplinkNotification): Promise<[Session, Observation] | undefined> {
    const { sessions } = this;
    const { accountId } = sender;
    const followed = await this.reconnection.follow(sender, address, token);
    if (followed) return this.observed(followed, token);
    // A connection that does not outlive its replica belongs to this one, and so do all observations over it. While
    // its session is compared with Redis, the notification waits.
    if (!outlivesReplica(address) && !sessions.hasAt(accountId, address)) return undefined;
    const matching = async (session: Session | undefined): Promise<[Session, Observation] | undefined> =>
      session && this.observed(session, token);
    // Over a connection the token is not looked up, because the connection identifies its device.
    const isLookedUp = token.length === tokenDigits && !isConnection(address);
    const following = async (session: Session | undefined): Promise<[Session, Observation] | undefined> => {
      // A device without security never acts for a device of another account, nor for one that has a connection.
      if (!session || session.accountId !== accountId || isConnection(session.address)) return undefined;
      const found = await matching(session);
      const previous = session.address;
      // The token identifies the device: a NAT changed its address, and messages now go to the new one.
      if (found && previous !== address && (await sessions.move(session, address)))
        await this.observer.moved(session, previous);
      return found;
    };
    return (
      (isLookedUp ? await sessions.withSession({ by: 'token', token }, address, following) : undefined) ??
      (await sessions.withSession({ by: 'address', accountId, address }, address, matching))
    );
  }

  private report(session: Session, observation: Observation, received: UplinkNotification): Promise<void> {
    const { tracing } = this;
    let notification = received;
    const { gateway } = session;
    const via = gateway && viaOf(session.address);
    if (gateway && via)
      try {
        notification = withoutPrefix(withoutRoot(received, gateway.data.rootPath), via.prefix);
      } catch (error) {
        if (!(error instanceof Malformed)) throw error;
        const contentType = mediaTypeOf(received.contentFormat, '/');
        return this.unreadable.report(session, { payload: received.payload, contentType, why: error.message });
      }
    if (!tracing.isOn) return this.reportValue(session, observation, notification);
    const span = tracing.root('device-proxy notification', {
      kind: 'server',
      attributes: {
        'lanyard.device_id': session.deviceId,
        'lanyard.path': observation.together ? '/' : observation.path,
      },
    });
    if (!span) return this.reportValue(session, observation, notification);
    return within(span, () => this.reportValue(session, observation, notification, span.traceParent));
  }

  /** Passes objects of one shape on, because this runs for every value and an object spread costs 2 µs. */
  private reportValue(
    session: Session,
    observation: Observation,
    received: Pick<UplinkNotification, 'payload' | 'contentFormat' | 'maxAgeSeconds'>,
    traceParent?: string,
  ): Promise<void> {
    const { values } = this;
    const { path, attributes, together, accept } = observation;
    const { contentFormat, maxAgeSeconds } = received;
    const format = contentFormat ?? (together && accept ? accept : undefined);
    const contentType = mediaTypeOf(format, together ? '/' : path);
    const payload =
      format === undefined ? received.payload : removeRoot(format, received.payload, session.data.rootPath);
    if (together)
      return values.reportComposite(session, path, { payload, contentType, maxAgeSeconds }, { traceParent });
    const audience = session.singleSubscribers(observation);
    const cause = audience.length > 0 ? 'notify' : 'auto-observation';
    const value = { path, payload, contentType, maxAgeSeconds, cause, audience, traceParent } as const;
    const { pendingSubscriber: pending } = session;
    if (pending?.isComposite !== false || !pending.paths.includes(path) || pending.attributes !== attributes)
      return values.report(session, value);
    return pending.reportValue(value, (answer) => values.report(session, { ...value, answer }));
  }

  private async endObservation(session: Session, observation: Observation, code: string): Promise<void> {
    this.logger.info({ deviceId: session.deviceId, path: observation.path, code }, 'device ended an observation');
    await this.observer.ended(session, observation);
    await this.reconciler.loseObservation(session, observation);
  }
}
