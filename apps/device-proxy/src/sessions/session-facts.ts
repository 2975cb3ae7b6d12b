import { type DeviceSessionChanged, DeviceSessions } from '@lanyard/contracts';
import type { KafkaProducer } from '@lanyard/kafka';
import { type Clock, formatTimestamp } from '@lanyard/service';
import type { RegistrationData, Session } from './session.js';

type Reason = NonNullable<DeviceSessionChanged['reason']>;

const itemOf = (
  deviceId: string,
  { endpointType, queueMode, links }: RegistrationData,
): DeviceSessionChanged['item'] => ({
  ep: deviceId,
  ...(endpointType !== undefined && { ept: endpointType }),
  q: queueMode,
  resources: links.map(({ path, rt, if: interfaces, ct, obs }) => ({
    path,
    ...(rt !== undefined && { rt }),
    ...(interfaces !== undefined && { if: interfaces }),
    ...(ct !== undefined && { ct }),
    obs,
  })),
});

/** Announces what happens to sessions. Each call resolves when Kafka has stored the fact. */
export class SessionFacts {
  constructor(
    private readonly producer: KafkaProducer,
    private readonly clock: Clock,
  ) {}

  began(session: Session, change: 'registered' | 'updated'): Promise<void> {
    const { deviceId, data } = session;
    return this.send(session, {
      item: itemOf(deviceId, data),
      change,
      lifetimeSeconds: data.lifetimeSeconds,
      lwm2mVersion: data.lwm2mVersion,
      binding: data.binding,
      queueMode: data.queueMode,
    });
  }

  ended(session: Session, change: 'deregistered' | 'expired', reason: Reason): Promise<void> {
    return this.send(session, { item: { ep: session.deviceId }, change, reason });
  }

  private send(
    { deviceId, accountId, registrationId, epoch, address, data }: Session,
    fact: Pick<DeviceSessionChanged, 'item' | 'change'> & Partial<DeviceSessionChanged>,
  ): Promise<void> {
    return this.producer.send(DeviceSessions, {
      ...fact,
      deviceId,
      accountId,
      endpointName: data.endpointName,
      ...(data.endpointType !== undefined && { endpointType: data.endpointType }),
      sessionId: registrationId,
      epoch,
      address,
      firstContact: data.firstContact,
      occurredAt: formatTimestamp(this.clock.now()),
    });
  }
}
