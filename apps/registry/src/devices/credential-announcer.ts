import { type DeviceCredentialChanged, DeviceCredentials } from '@lanyard/contracts';
import { Outbox } from '@lanyard/kafka';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** Announces credentials on device.credentials, in the transaction that changes them. */
@Injectable()
export class CredentialAnnouncer {
  constructor(private readonly outbox: Outbox) {}

  announceChange(manager: EntityManager, credential: DeviceCredentialChanged): Promise<void> {
    return this.outbox.append(manager, DeviceCredentials, credential);
  }

  announceWithdrawal(manager: EntityManager, credentialId: string): Promise<void> {
    return this.outbox.appendTombstone(manager, DeviceCredentials, credentialId);
  }

  /**
   * Announces the end of all credentials of a device before it is deleted. The caller has locked its row. The credentials
   * are locked too: `reencrypt` announces them without the device.
   */
  async announceWithdrawalsFor(manager: EntityManager, deviceId: string): Promise<void> {
    const sql = 'SELECT id FROM registry.device_credentials WHERE device_id = $1 ORDER BY id FOR UPDATE';
    const rows = await manager.query<{ id: string }[]>(sql, [deviceId]);
    for (const { id } of rows) await this.announceWithdrawal(manager, id);
  }
}
