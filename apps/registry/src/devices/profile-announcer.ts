import { type BootstrapProfileChanged, BootstrapProfiles } from '@lanyard/contracts';
import { Outbox } from '@lanyard/kafka';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** Announces bootstrap profiles on bootstrap.profiles, in the transaction that changes them. */
@Injectable()
export class ProfileAnnouncer {
  constructor(private readonly outbox: Outbox) {}

  announceChange(manager: EntityManager, profile: BootstrapProfileChanged): Promise<void> {
    return this.outbox.append(manager, BootstrapProfiles, profile);
  }

  announceWithdrawal(manager: EntityManager, profileId: string): Promise<void> {
    return this.outbox.appendTombstone(manager, BootstrapProfiles, profileId);
  }

  /**
   * Announces the end of the profile of a device or group before that is deleted. The caller has locked its row. The
   * profile is locked too: its changes lock the profile only.
   */
  async announceWithdrawalFor(manager: EntityManager, targetId: string): Promise<void> {
    const sql = 'SELECT id FROM registry.bootstrap_profiles WHERE device_id = $1 OR group_id = $1 FOR UPDATE';
    const rows = await manager.query<{ id: string }[]>(sql, [targetId]);
    for (const { id } of rows) await this.announceWithdrawal(manager, id);
  }
}
