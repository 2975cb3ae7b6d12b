import { type DeviceSessionChanged, DeviceSessions, uidOf } from '@lanyard/contracts';
import { KafkaProducer } from '@lanyard/kafka';
import { type Clock, CLOCK, CONFIG, formatTimestamp } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { DeviceProxyConfig } from '../config.js';
import { BatchedFacts } from '../producer/batched-facts.js';
import { DeviceLinks } from '../transport/device-links.js';
import { schemeOf, viaOf } from '../transport/peer-address.js';
import type { RegistrationData, Session } from './session.js';

/** `lifetime`: the session has expired. */
export type EndReason = NonNullable<DeviceSessionChanged['reason']>;
type Item = DeviceSessionChanged['item'];

type Fact = Pick<DeviceSessionChanged, 'item' | 'change'> & Partial<DeviceSessionChanged>;

/** Cached by link list: devices of one model share it, and it is immutable. */
const resourcesOf = new WeakMap<RegistrationData['links'], Item['resources']>();

const resourcesIn = (links: RegistrationData['links']): Item['resources'] => {
  const known = resourcesOf.get(links);
  if (known) return known;
  const resources = links.map(({ path, rt, if: interfaces, ct, obs }) => ({ path, rt, if: interfaces, ct, obs }));
  resourcesOf.set(links, resources);
  return resources;
};

const itemOf = (deviceId: string, { endpointType, queueMode, links }: RegistrationData): Item => ({
  ep: deviceId,
  ept: endpointType,
  q: queueMode,
  resources: resourcesIn(links),
});

/** For a device behind a gateway, the transport of the gateway. */
const transportOf = ({ reachedAt }: Session): DeviceSessionChanged['transport'] => {
  const scheme = schemeOf(reachedAt);
  return scheme === 'via' ? undefined : scheme;
};

/** Announces what happens to sessions. Each call resolves when Kafka has stored the fact. */
@Injectable()
export class SessionFacts {
  private readonly facts: BatchedFacts<DeviceSessionChanged>;

  constructor(
    producer: KafkaProducer,
    private readonly links: DeviceLinks,
    @Inject(CONFIG) private readonly config: Pick<DeviceProxyConfig, 'awakeMs'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.facts = new BatchedFacts(producer, DeviceSessions);
  }

  announceRegistration(session: Session, change: 'registered' | 'updated'): Promise<void> {
    const { deviceId, data } = session;
    return this.send(session, {
      item: itemOf(deviceId, data),
      change,
      lifetimeSeconds: data.lifetimeSeconds,
      lwm2mVersion: data.lwm2mVersion,
      binding: data.binding,
      queueMode: data.queueMode,
      awakeMs: data.queueMode ? this.config.awakeMs : undefined,
      objectVersions: data.objectVersions,
      transport: transportOf(session),
    });
  }

  /** The end of an epoch is the same fact each time: if this replica dies before it closes the session, another announces it again. */
  announceEnd(session: Session, reason: EndReason, endedAtMs: number): Promise<void> {
    const { deviceId, epoch } = session;
    const change = reason === 'lifetime' ? 'expired' : 'deregistered';
    const occurredAt = formatTimestamp(endedAtMs);
    const id = uidOf(`end of ${deviceId} ${epoch}`, endedAtMs);
    return this.send(session, { item: { ep: deviceId }, change, reason, occurredAt }, id);
  }

  private send(session: Session, fact: Fact, id?: string): Promise<void> {
    const { item, change, reason, lifetimeSeconds, lwm2mVersion, binding, queueMode, awakeMs } = fact;
    const { objectVersions, transport, occurredAt = formatTimestamp(this.clock.now()) } = fact;
    const { deviceId, accountId, registrationId, epoch, address, data } = session;
    const behind = viaOf(address);
    const connectedAt = behind ? session.gateway?.address : address;
    // Listed property by property: there is one for every update, and building it with `...` took longer than encoding it.
    const announced: DeviceSessionChanged = {
      item,
      change,
      deviceId,
      accountId,
      endpointName: data.endpointName,
      endpointType: data.endpointType,
      sessionId: registrationId,
      epoch,
      reason,
      lifetimeSeconds,
      lwm2mVersion,
      binding,
      queueMode,
      awakeMs,
      objectVersions,
      transport,
      address: connectedAt,
      remoteAddress: connectedAt && this.links.to(connectedAt).remoteOf?.(connectedAt),
      hostGateway: behind?.gatewayId,
      firstContact: data.firstContact,
      occurredAt,
    };
    return this.facts.send(announced, id);
  }
}
