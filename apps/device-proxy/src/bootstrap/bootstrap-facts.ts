import { createHash } from 'node:crypto';
import {
  type BootstrapFailure,
  type BootstrapProfileChanged,
  type DeviceBootstrapChanged,
  DeviceBootstraps,
} from '@lanyard/contracts';
import { KafkaProducer } from '@lanyard/kafka';
import { type Clock, CLOCK, formatTimestamp } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { BatchedFacts } from '../producer/batched-facts.js';

/** Identifies a bootstrap in progress. */
export interface BootstrapKey {
  /** Also the id of the credential that is created for the bootstrap. */
  bootstrapId: string;
  deviceId: string;
  accountId: string;
}

/** What a device asked for, where from, and what it gets. */
interface Start {
  interface: NonNullable<DeviceBootstrapChanged['interface']>;
  address: string;
  profile: BootstrapProfileChanged;
  /** Public key of the key pair that was created for the device. */
  publicKey: Buffer | undefined;
}

/** Longest text that says why a bootstrap failed. */
const detailMax = 256;

/** Announces the progress of bootstraps. Each call resolves when Kafka has stored the fact. */
@Injectable()
export class BootstrapFacts {
  private readonly facts: BatchedFacts<DeviceBootstrapChanged>;

  constructor(
    producer: KafkaProducer,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.facts = new BatchedFacts(producer, DeviceBootstraps);
  }

  announceStart(key: BootstrapKey, { interface: how, address, profile, publicKey }: Start): Promise<void> {
    const { profileId, serverUri, shortServerId, securityMode } = profile;
    const account = {
      profileId,
      serverUri,
      shortServerId,
      ...(securityMode !== 'none' && { credential: securityMode }),
      ...(publicKey && { fingerprint: createHash('sha256').update(publicKey).digest('hex') }),
    };
    return this.send({ ...key, change: 'started', interface: how, address, ...account });
  }

  announceSuccess(key: BootstrapKey): Promise<void> {
    return this.send({ ...key, change: 'bootstrapped' });
  }

  announceFailure(key: BootstrapKey, failure: BootstrapFailure, detail?: string): Promise<void> {
    return this.send({ ...key, change: 'failed', failure, ...(detail && { detail: detail.slice(0, detailMax) }) });
  }

  private send(fact: Omit<DeviceBootstrapChanged, 'occurredAt'>): Promise<void> {
    return this.facts.send({ ...fact, occurredAt: formatTimestamp(this.clock.now()) });
  }
}
