import { DeviceValues, type ResourceValueArrived } from '@lanyard/contracts';
import type { KafkaProducer } from '@lanyard/kafka';
import { type Clock, formatTimestamp } from '@lanyard/service';
import type { Session } from '../sessions/session.js';

export interface ArrivedValue {
  path: string;
  payload: Buffer;
  /** Media type. */
  contentType: string;
  maxAgeSeconds?: number;
  cause: ResourceValueArrived['cause'];
  /** Keys whose channels get it. */
  audience: readonly string[];
}

/** RFC 7252 §5.10.5: how long a value counts as fresh when the device says nothing. */
const defaultMaxAgeSeconds = 60;

/** Announces values that came from devices; resolves when Kafka has stored the fact. */
export class Values {
  constructor(
    private readonly producer: KafkaProducer,
    private readonly clock: Clock,
  ) {}

  report(session: Session, value: ArrivedValue): Promise<void> {
    const { deviceId, accountId, data, epoch } = session;
    return this.producer.send(DeviceValues, {
      item: {
        ep: deviceId,
        path: value.path,
        ct: value.contentType,
        payload: value.payload.toString('base64'),
        'max-age': value.maxAgeSeconds ?? defaultMaxAgeSeconds,
      },
      cause: value.cause,
      deviceId,
      accountId,
      endpointName: data.endpointName,
      epoch,
      sequence: session.nextSequence(),
      observedAt: formatTimestamp(this.clock.now()),
      audience: [...value.audience],
    });
  }
}
