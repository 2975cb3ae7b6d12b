import { DeviceContacts, type DeviceContacted } from '@lanyard/contracts';
import type { KafkaProducer } from '@lanyard/kafka';
import { type Clock, formatTimestamp } from '@lanyard/service';
import { Gather } from '../db/gather.js';
import { paceMs } from '../db/pace.js';
import { ComeAgain } from '../transport/come-again.js';
import type { DeviceDirectory } from './device-directory.js';

/** A new device is told to come again when the registry has not decided within this time. */
const decisionMs = 5_000;

/** What device.lifecycle takes; a longer type stays with the session. */
const endpointTypeMax = 255;

type NewDevice = Omit<DeviceContacted, 'occurredAt'>;

/**
 * Only the registry creates devices. A new endpoint is announced to it on device.contacts and waits here for the
 * registry's word on device.lifecycle, so that a device is in the directory before anything is told of its session.
 */
export class Introductions {
  private waiting = 0;

  private readonly sends = new Gather(
    (facts: readonly DeviceContacted[]) => Promise.all(facts.map((fact) => this.sent(fact))),
    { paceMs },
  );

  /** `waitingMax`: further endpoints are announced but do not wait, so that they hold up no device that is known. */
  constructor(
    private readonly producer: Pick<KafkaProducer, 'send'>,
    private readonly directory: DeviceDirectory,
    private readonly clock: Clock,
    private readonly waitingMax: number,
  ) {}

  /** Resolves when the directory has decided on the id. Throws ComeAgain when it has not within a few seconds. */
  async introduce({ deviceId, accountId, endpointName, endpointType }: NewDevice): Promise<void> {
    const named = endpointType !== undefined && endpointType.length <= endpointTypeMax;
    const refusal = await this.sends.of({
      deviceId,
      accountId,
      endpointName,
      ...(named && { endpointType }),
      occurredAt: formatTimestamp(this.clock.now()),
    });
    if (refusal) throw refusal.error;
    if (this.waiting >= this.waitingMax) throw new ComeAgain('more new devices than can wait for the registry');
    this.waiting++;
    try {
      if (!(await this.directory.isDecided(deviceId, decisionMs)))
        throw new ComeAgain('the registry has not created the device yet');
    } finally {
      this.waiting--;
    }
  }

  private sent(fact: DeviceContacted): Promise<{ error: unknown } | undefined> {
    return this.producer.send(DeviceContacts, fact).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
  }
}
