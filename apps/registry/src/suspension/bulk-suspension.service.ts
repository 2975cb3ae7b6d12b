import { AuditTrail } from '@lanyard/kafka';
import { type AccessScope, FairQueue, type Filter, type Identity, returning } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { deviceConditions } from '../devices/device-list.js';
import { type DeviceRow, deviceRowColumns, Lifecycle } from '../devices/lifecycle.js';
import { announcedSuspension, type Reason } from '../devices/suspension-reason.js';
import { resumeAssignments, suspendAssignments, suspendedOtherwise } from './suspension.service.js';

/** Devices per transaction and per call; the caller continues with `after`. */
const devicesAtOnce = 500;
export const devicesPerCallMax = 5_000;

export interface Selection {
  filters: readonly Filter[];
  groupId?: string;
  /** The filters as the caller wrote them. */
  filter?: string;
  after?: string;
}

export interface BulkOutcome {
  matched: number;
  changed: number;
  after: string | null;
  hasMore: boolean;
}

interface BulkChange {
  selection: Selection;
  action: 'suspend' | 'resume';
  reason: Reason;
}

/** SQL condition: the call changes the device `d`. One that is already suspended for the same reason is not touched. */
const wouldChange = ({ action, reason: { category, description = '' } }: BulkChange, parameters: unknown[]): string =>
  action === 'resume'
    ? 'd.operator_suspended'
    : suspendedOtherwise(`$${parameters.push(category)}`, `$${parameters.push(description)}`);

/** Suspends and resumes, as an operator, all devices of a group or a filter. Repeating it changes nothing. */
@Injectable()
export class BulkSuspensionService {
  constructor(
    private readonly database: DataSource,
    private readonly lifecycle: Lifecycle,
    private readonly audit: AuditTrail,
  ) {}

  /** What `run` would do, for all devices at once. */
  async preview(scope: AccessScope, change: BulkChange): Promise<BulkOutcome> {
    const parameters: unknown[] = [];
    const { filters, groupId } = change.selection;
    const conditions = deviceConditions(scope, filters, parameters, groupId);
    const changed = wouldChange(change, parameters);
    const sql = `SELECT count(*)::int AS matched, (count(*) FILTER (WHERE ${changed}))::int AS changed
       FROM registry.devices d WHERE ${conditions.join(' AND ')}`;
    const [counts]: { matched: number; changed: number }[] = await FairQueue.at(this.database).run(
      scope.accountId,
      () => this.database.query(sql, parameters),
    );
    return { matched: counts?.matched ?? 0, changed: counts?.changed ?? 0, after: null, hasMore: false };
  }

  async run(actor: Identity, change: BulkChange): Promise<BulkOutcome> {
    const { selection } = change;
    const outcome: BulkOutcome = { matched: 0, changed: 0, after: selection.after ?? null, hasMore: true };
    const step = async (): Promise<void> => {
      const ids = await this.next(actor, selection, outcome.after ?? '');
      outcome.matched += ids.length;
      outcome.after = ids.at(-1) ?? outcome.after;
      outcome.hasMore = ids.length === devicesAtOnce;
      if (ids.length > 0)
        outcome.changed += await this.database.transaction(async (manager) => {
          const changed = await this.change(manager, actor, ids, change);
          if (changed > 0) await this.record(manager, actor, change, changed);
          return changed;
        });
    };
    while (outcome.hasMore && outcome.matched < devicesPerCallMax)
      await FairQueue.at(this.database).run(actor.accountId, step);
    return outcome;
  }

  /** Each transaction has its own audit entry, so that those of an interrupted call say exactly what it did. */
  private async record(
    manager: EntityManager,
    actor: Identity,
    { selection: { groupId, filter }, action, reason: { category, description } }: BulkChange,
    changed: number,
  ): Promise<void> {
    const target =
      groupId === undefined ? { kind: 'account', id: actor.accountId } : { kind: 'device-group', id: groupId };
    const data = {
      category,
      changed_count: String(changed),
      ...(description && { text: description }),
      ...(filter && { filter }),
    };
    const code = action === 'suspend' ? 'SYS_550' : 'SYS_551';
    await this.audit.record(manager, code, { accountId: actor.accountId, actor, target, data });
  }

  private async next(scope: AccessScope, selection: Selection, after: string): Promise<string[]> {
    const parameters: unknown[] = [];
    const conditions = deviceConditions(scope, selection.filters, parameters, selection.groupId);
    const rows: { id: string }[] = await this.database.query(
      `SELECT d.id FROM registry.devices d WHERE ${conditions.join(' AND ')}
       AND d.id > $${parameters.push(after)} ORDER BY d.id LIMIT ${devicesAtOnce}`,
      parameters,
    );
    return rows.map((row) => row.id);
  }

  private async change(
    manager: EntityManager,
    actor: Identity,
    ids: readonly string[],
    bulkChange: BulkChange,
  ): Promise<number> {
    const { action, reason } = bulkChange;
    // In one order, so that two calls for the same devices never deadlock.
    await manager.query('SELECT 1 FROM registry.devices WHERE id = ANY($1) ORDER BY id FOR UPDATE', [ids]);
    const parameters: unknown[] = [ids];
    const change = wouldChange(bulkChange, parameters);
    const bind = (value: unknown): string => `$${parameters.push(value)}`;
    const assignments =
      action === 'suspend'
        ? suspendAssignments(bind(reason.category), bind(reason.description ?? ''))
        : resumeAssignments;
    const rows = await returning<DeviceRow>(
      manager,
      `UPDATE registry.devices d SET ${assignments}, updated_at = clock_timestamp(), revision = revision + 1
       WHERE d.id = ANY($1) AND ${change} RETURNING ${deviceRowColumns}`,
      parameters,
    );
    await this.lifecycle.announceAll(manager, action === 'suspend' ? 'suspended' : 'resumed', rows, (row) => ({
      suspension: announcedSuspension('operator', reason, row.changed_at),
      actor,
    }));
    return rows.length;
  }
}
