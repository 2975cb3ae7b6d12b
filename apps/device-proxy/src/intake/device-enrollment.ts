import { DeviceContacts, type DeviceContacted } from '@lanyard/contracts';
import { KafkaProducer } from '@lanyard/kafka';
import { type Clock, CLOCK, CONFIG, formatTimestamp } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { DeviceProxyConfig } from '../config.js';
import { BatchedFacts } from '../producer/batched-facts.js';
import { DeviceDirectory } from '../state/device-directory.js';
import { RetryLater } from '../transport/retry-later.js';

/** A new device is told to retry later when the registry has not decided within this time. */
const decisionMs = 5_000;

/**
 * Only the registry creates devices. A new endpoint is announced to it on device.contacts and waits here for the
 * registry's answer on device.lifecycle, so that a device is in the directory before its session is announced.
 */
@Injectable()
export class DeviceEnrollment {
  private waiting = 0;
  /** Further endpoints are announced but do not wait, so that they do not delay known devices. */
  private readonly waitingMax: number;
  private readonly contacts: BatchedFacts<DeviceContacted>;

  constructor(
    producer: KafkaProducer,
    private readonly directory: DeviceDirectory,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) { requestsInFlightMax }: DeviceProxyConfig,
  ) {
    this.contacts = new BatchedFacts(producer, DeviceContacts);
    // Registrations get half of the capacity for requests, and new devices half of that.
    this.waitingMax = Math.ceil(requestsInFlightMax / 4);
  }

  /** Resolves when the directory has decided on the id. Throws RetryLater when it has not within a few seconds. */
  async enroll(device: Omit<DeviceContacted, 'occurredAt'>): Promise<void> {
    await this.contacts.send({ ...device, occurredAt: formatTimestamp(this.clock.now()) });
    if (this.waiting >= this.waitingMax)
      throw new RetryLater('more new devices than can wait for the registry', { isBurst: true });
    this.waiting++;
    try {
      if (!(await this.directory.isDecided(device.deviceId, decisionMs)))
        throw new RetryLater('the registry has not created the device yet');
    } finally {
      this.waiting--;
    }
  }
}
