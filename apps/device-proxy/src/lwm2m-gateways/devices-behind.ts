import { isDeepStrictEqual } from 'node:util';
import type { DeviceBehind } from '@lanyard/lwm2m';
import { type Clock, CLOCK, newId } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { Deliverer } from '../commands/deliverer.js';
import { Admission, type Admitted, type NotServed } from '../intake/admission.js';
import { Observer } from '../observations/observer.js';
import { listingOf } from '../sessions/listing-of.js';
import { type RegistrationData, Session } from '../sessions/session.js';
import { SessionEnds } from '../sessions/session-ends.js';
import { SessionFacts } from '../sessions/session-facts.js';
import { Sessions } from '../sessions/sessions.js';
import { SubscriptionReconciler } from '../subscriptions/subscription-reconciler.js';
import { viaAddress, viaOf } from '../transport/peer-address.js';
import { RetryLater } from '../transport/retry-later.js';

/** The data of a device behind a gateway, from the list and the registration of the gateway. */
type Described = Omit<RegistrationData, 'endpointType' | 'registeredAtMs' | 'firstContact'>;

const describedBy = (gateway: Session, { deviceId, objects }: DeviceBehind): Described => {
  const { lifetimeSeconds, lwm2mVersion, binding, queueMode, contentFormats } = gateway.data;
  const { links, objectVersions, contentFormats: own } = listingOf(objects);
  return {
    endpointName: deviceId,
    lifetimeSeconds,
    lwm2mVersion,
    binding,
    queueMode,
    // Empty, because GatewayLink adds the root path of the gateway and the prefix of the device to every path.
    rootPath: '',
    contentFormats: own.length > 0 ? own : contentFormats,
    // Tokens that a gateway chooses do not distinguish its devices.
    links: links.map(({ autoToken: _, ...link }) => link),
    objectVersions,
    attributes: {},
  };
};

/** Opens, updates and ends the sessions of devices behind gateways. */
@Injectable()
export class DevicesBehind {
  /** Sessions with a change that Kafka has not accepted: it is announced when the list is applied again. */
  private readonly unannounced = new WeakSet<Session>();

  constructor(
    private readonly sessions: Sessions,
    private readonly admission: Admission,
    private readonly ends: SessionEnds,
    private readonly facts: SessionFacts,
    private readonly observer: Observer,
    private readonly reconciler: SubscriptionReconciler,
    private readonly deliverer: Deliverer,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Opens a session for the device, or updates the one that it has; otherwise returns why the device is not served.
   * Throws RetryLater, and errors of Redis, PostgreSQL and Kafka.
   */
  async serve(gateway: Session, device: DeviceBehind): Promise<{ deviceId: string } | NotServed> {
    const admitted = await this.admission.admitBehind(gateway, device.deviceId);
    if (typeof admitted === 'string') return admitted;
    const { deviceId } = admitted;
    return this.sessions.exclusive.run(deviceId, async () => {
      const address = viaAddress(gateway.deviceId, device.prefix);
      const data = describedBy(gateway, device);
      const existing = this.sessions.get(deviceId);
      if (existing?.gateway === gateway && existing.address === address) await this.update(existing, data);
      else {
        const stored = await this.sessions.store.read(deviceId);
        const route = stored && (viaOf(stored.address)?.gatewayId ?? 'direct');
        // The device registered by itself, and keeps that session until the session ends.
        if (route === 'direct') return 'registered-itself';
        if (route !== undefined && route !== gateway.deviceId)
          throw new RetryLater('the gateway that the device was behind still has its session');
        await this.open(gateway, address, data, admitted);
      }
      return { deviceId };
    });
  }

  /** Called when the device is no longer behind the gateway. */
  endSession(deviceId: string, gatewayId: string): Promise<void> {
    const { ends, sessions } = this;
    return sessions.exclusive.run(deviceId, async () => {
      const stored = await sessions.store.read(deviceId);
      if (!stored || viaOf(stored.address)?.gatewayId !== gatewayId) return;
      sessions.dropIfOlder(deviceId, stored.epoch);
      await ends.end(sessions.get(deviceId) ?? new Session(stored), 'gateway');
    });
  }

  private async open(gateway: Session, address: string, data: Described, admitted: Admitted): Promise<void> {
    const { clock, deliverer, facts, reconciler, sessions } = this;
    const { deviceId, endpointType, firstContact } = admitted;
    const nowMs = clock.now();
    await reconciler.loseOnRegistration(deviceId);
    const session = await sessions.open(
      {
        deviceId,
        registrationId: newId(nowMs),
        accountId: gateway.accountId,
        address,
        nowMs,
        expiresAtMs: gateway.expiresAtMs,
        data: { ...data, ...(endpointType !== undefined && { endpointType }), registeredAtMs: nowMs, firstContact },
      },
      gateway,
    );
    try {
      await facts.announceRegistration(session, 'registered');
    } catch (error) {
      await sessions.withhold(session);
      throw error;
    }
    session.isRegistrationAnswered = true;
    void reconciler.applyRules(session);
    deliverer.checkQueue(deviceId);
  }

  private async update(session: Session, described: Described): Promise<void> {
    const data = { ...session.data, ...described };
    if (isDeepStrictEqual(data, { ...session.data }) && !this.unannounced.has(session)) return;
    if (!(await this.sessions.update(session, { data }))) throw new Error('the session is not here any more');
    this.unannounced.add(session);
    session.requireReconciliation();
    await this.observer.listed(session);
    await this.facts.announceRegistration(session, 'updated');
    this.unannounced.delete(session);
    void this.reconciler.applyRules(session);
  }
}
