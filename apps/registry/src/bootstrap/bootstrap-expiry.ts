import { type DeviceBootstrapChanged, DeviceBootstraps } from '@lanyard/contracts';
import { Outbox } from '@lanyard/kafka';
import { affected, BackgroundWork, returning } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { endedKeptDays, expiryPeriodMs, expiryRetryMs, rowsPerStep } from './limits.js';

interface Expired {
  id: string;
  account_id: string;
  device_id: string;
}

const expiredSql = `
  UPDATE registry.bootstraps SET expires_at = now() + interval '${expiryRetryMs} milliseconds' WHERE id IN (
    SELECT id FROM registry.bootstraps WHERE state = 'started' AND expires_at < now()
    ORDER BY expires_at LIMIT ${rowsPerStep} FOR UPDATE SKIP LOCKED)
  RETURNING id, account_id, device_id`;

const forgottenSql = `
  DELETE FROM registry.bootstraps WHERE id IN (
    SELECT id FROM registry.bootstraps WHERE state <> 'started' AND ended_at < now() - interval '${endedKeptDays} days'
    ORDER BY ended_at LIMIT ${rowsPerStep} FOR UPDATE SKIP LOCKED)`;

/**
 * Fails bootstraps that did not end in time, by a fact on device.bootstraps. It follows all facts that are already in
 * the topic, so a success that was not read yet still counts. Also deletes bootstraps that ended long ago. The clock of
 * PostgreSQL decides: a replica with a fast one must not fail bootstraps that are under way.
 */
@Injectable()
export class BootstrapExpiry extends BackgroundWork {
  constructor(
    private readonly database: DataSource,
    private readonly outbox: Outbox,
  ) {
    super(expiryPeriodMs, 'expired bootstraps not ended, tried again');
  }

  protected async step(): Promise<boolean> {
    const expired = await this.database.transaction((manager) => this.expire(manager));
    const forgotten = await affected(this.database, forgottenSql);
    return expired === rowsPerStep || forgotten === rowsPerStep;
  }

  private async expire(manager: EntityManager): Promise<number> {
    const rows = await returning<Expired>(manager, expiredSql);
    const occurredAt = new Date(this.clock.now()).toISOString();
    const facts = rows.map((row): DeviceBootstrapChanged => ({
      bootstrapId: row.id,
      accountId: row.account_id,
      deviceId: row.device_id,
      change: 'failed',
      failure: 'expired',
      occurredAt,
    }));
    if (facts.length > 0) await this.outbox.appendAll(manager, DeviceBootstraps, facts);
    return rows.length;
  }
}
