import { affected, BackgroundWork, CONFIG } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { CampaignsConfig } from '../config.js';
import { retentionBatch } from '../limits.js';
import { nameMax } from './campaign-fields.js';

const periodMs = 600_000;

/**
 * Replicas share the work: a campaign that another replica is deleting is skipped. Only the clock of PostgreSQL counts: a replica
 * with a fast one must not delete what is kept.
 */
const oldestSql = `
  SELECT id FROM campaigns.update_campaigns WHERE finished_at < now() - make_interval(days => $1)
  ORDER BY finished_at LIMIT 1 FOR UPDATE SKIP LOCKED`;

const devicesSql = `
  DELETE FROM campaigns.campaign_devices d USING
    (SELECT device_id FROM campaigns.campaign_devices WHERE campaign_id = $1 LIMIT ${retentionBatch}) old
  WHERE d.campaign_id = $1 AND d.device_id = old.device_id`;

/**
 * Hides a campaign that still has devices: readers never see a part of it, and its name can be used again. The name that it
 * gets is longer than those that clients may give, so no other campaign has it.
 */
const hideSql = `
  UPDATE campaigns.update_campaigns SET removed = true, name = rpad(id, ${nameMax + 1}) WHERE id = $1`;

const removeSql = 'DELETE FROM campaigns.update_campaigns WHERE id = $1';

/** Deletes campaigns that ended long ago, with their devices. Their entries in the event log stay. */
@Injectable()
export class CampaignRetention extends BackgroundWork {
  constructor(
    private readonly database: DataSource,
    @Inject(CONFIG) private readonly config: CampaignsConfig,
  ) {
    super(periodMs, 'old campaigns not deleted, tried again');
  }

  protected step(): Promise<boolean> {
    return this.database.transaction((manager) => this.removeSome(manager));
  }

  /** Deletes devices of the oldest campaign, and the campaign with the last of them. False: there is none to delete. */
  private async removeSome(manager: EntityManager): Promise<boolean> {
    const [oldest] = (await manager.query(oldestSql, [this.config.retentionDays])) as { id: string }[];
    if (!oldest) return false;
    const devices = await affected(manager, devicesSql, [oldest.id]);
    await manager.query(devices < retentionBatch ? removeSql : hideSql, [oldest.id]);
    return true;
  }
}
