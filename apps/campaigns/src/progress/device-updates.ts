import {
  type CampaignCommandIssued,
  CampaignsCommands,
  type DeviceEventReported,
  DeviceEvents,
} from '@lanyard/contracts';
import { Outbox } from '@lanyard/kafka';
import { CONFIG, formatTimestamp, newId, newTicket, sealTicket } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { CampaignsConfig } from '../config.js';
import { ticketHash } from '../downloads/tickets.js';
import { advance } from '../machine/advance.js';
import { type Advance, type DeviceUpdate, isFinal, type UpdateEvent } from '../machine/device-update.js';
import { needsTicket, requestOf } from './campaign-command.js';
import { endEntry } from './entries.js';
import { FinishedDevices } from './finished-devices.js';
import { goalOf, updateOf, type UpdateRow } from './update-row.js';

interface Effects {
  stored: object[];
  commands: CampaignCommandIssued[];
  /** Campaigns of devices that finished. */
  finished: Set<string>;
  entries: DeviceEventReported[];
}

const storeSql = `
  UPDATE campaigns.campaign_devices d SET state = r.state, step = r.step, attempt = r.attempt,
    deadline_at = r.deadline_at, due_at = r.due_at, polls = r.polls, command_id = r.command_id, delivery = r.delivery,
    package_source = r.package_source, ticket_hash = r.ticket_hash, previous_version = r.previous_version, instance = r.instance, code = r.code,
    reason = r.reason, updated_at = r.updated_at, finished_at = r.finished_at
  FROM jsonb_populate_recordset(NULL::campaigns.campaign_devices, $1::jsonb) r
  WHERE d.campaign_id = r.campaign_id AND d.device_id = r.device_id`;

// Locked in the order in which facts of sessions are stored.
const versionsSql = `
  WITH locked AS (
    SELECT s.device_id, r.version FROM campaigns.device_sessions s
    JOIN jsonb_to_recordset($1::jsonb) AS r (device_id text, version text) ON s.device_id = r.device_id
    ORDER BY s.device_id FOR UPDATE OF s)
  UPDATE campaigns.device_sessions s SET firmware_version = locked.version FROM locked
  WHERE s.device_id = locked.device_id`;

/** Wakes the devices' campaigns, which may start other devices or have finished. A locked campaign is being processed already. */
const wakeSql = `
  UPDATE campaigns.update_campaigns SET tick_at = now() WHERE id IN (
    SELECT id FROM campaigns.update_campaigns WHERE id = ANY($1) AND state IN ('running', 'stopping') AND tick_at > now()
    FOR NO KEY UPDATE SKIP LOCKED)`;

const isoOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** The firmware version that the device runs, as far as the update has shown. */
const versionOf = ({ state, previousVersion }: DeviceUpdate, { version, object }: UpdateRow): string | null => {
  if (object !== 5) return null;
  return state === 'succeeded' || state === 'skipped' ? version : previousVersion;
};

/** Applies events to devices of campaigns: the new state, commands and event log entries, in one transaction. */
@Injectable()
export class DeviceUpdates {
  constructor(
    private readonly outbox: Outbox,
    @Inject(CONFIG) private readonly config: CampaignsConfig,
    private readonly finishedDevices: FinishedDevices,
  ) {}

  /** The rows are locked by the transaction. */
  async apply(
    manager: EntityManager,
    rows: readonly UpdateRow[],
    eventOf: (row: UpdateRow) => UpdateEvent | undefined,
  ): Promise<void> {
    const effects: Effects = { stored: [], commands: [], finished: new Set(), entries: [] };
    const versions: { device_id: string; version: string }[] = [];
    for (const row of rows) {
      const event = eventOf(row);
      if (!event) continue;
      const next = this.advance(row, event);
      this.collect(row, next, effects);
      const version = versionOf(next.update, row);
      if (version !== null && next.update.state !== row.state) versions.push({ device_id: row.device_id, version });
    }
    if (effects.stored.length === 0) return;
    await manager.query(storeSql, [JSON.stringify(effects.stored)]);
    if (versions.length > 0) await manager.query(versionsSql, [JSON.stringify(versions)]);
    if (effects.commands.length > 0) await this.outbox.appendAll(manager, CampaignsCommands, effects.commands);
    if (effects.entries.length > 0) await this.outbox.appendAll(manager, DeviceEvents, effects.entries);
    if (effects.finished.size > 0) await manager.query(wakeSql, [[...effects.finished]]);
    this.finishedDevices.countAfterCommit(
      manager,
      effects.entries.map(({ eventCode }) => eventCode),
    );
  }

  private advance(row: UpdateRow, event: UpdateEvent): Advance {
    const { pollMinMs, packageSources } = this.config;
    const context = { nowMs: row.now.getTime(), pollMinMs, packageSources, transport: row.transport };
    return advance(updateOf(row), event, goalOf(row), context);
  }

  private collect(row: UpdateRow, { update, command, isCancelled }: Advance, effects: Effects): void {
    const nowMs = row.now.getTime();
    const ticket = command && needsTicket(command) ? newTicket() : undefined;
    const commandId = command ? newId(nowMs) : update.isCommandPending ? row.command_id : null;
    const base = { campaignId: row.campaign_id, accountId: row.account_id, deviceId: row.device_id };
    const issuedAt = formatTimestamp(nowMs);
    const { encryptionKey } = this.config.secrets;
    if (isCancelled && row.command_id !== null)
      effects.commands.push({ ...base, commandId: row.command_id, action: 'cancel', issuedAt });
    if (command && commandId !== null)
      effects.commands.push({
        ...base,
        commandId,
        action: 'execute',
        ...requestOf(command, ticket === undefined ? '' : sealTicket(encryptionKey, row.device_id, ticket)),
        expirySeconds: Math.ceil(command.expiryMs / 1_000),
        issuedAt,
      });
    if (isFinal(update)) {
      effects.entries.push(endEntry(row, update, nowMs));
      effects.finished.add(row.campaign_id);
    }
    const keptHash = update.state === 'updating' ? row.ticket_hash : null;
    effects.stored.push({
      campaign_id: row.campaign_id,
      device_id: row.device_id,
      state: update.state,
      step: update.step,
      attempt: update.attempt,
      deadline_at: isoOf(update.deadlineMs),
      due_at: isoOf(update.dueMs),
      polls: update.polls,
      command_id: commandId,
      delivery: update.delivery,
      package_source: update.packageSource,
      ticket_hash: ticket === undefined ? keptHash : ticketHash(ticket),
      previous_version: update.previousVersion,
      instance: update.instance,
      code: update.code,
      reason: update.reason,
      updated_at: isoOf(nowMs),
      finished_at: isFinal(update) ? isoOf(nowMs) : null,
    });
  }
}
