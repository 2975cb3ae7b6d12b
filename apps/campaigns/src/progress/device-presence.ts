import { type DeviceLifecycleChanged, type DeviceSessionChanged, orderOfLifecycle } from '@lanyard/contracts';
import { lastOfDevices } from '@lanyard/kafka';
import { sharedWrite } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { deviceEnds, type UpdateEvent } from '../machine/device-update.js';
import { isSelecting } from './campaign-row.js';
import { DeviceUpdates } from './device-updates.js';
import { lockedInOrder, selectUpdates, type UpdateRow } from './update-row.js';

/** For facts that do not say how long the device is awake, as those of earlier versions: MAX_TRANSMIT_WAIT (RFC 7252 §4.8.2). */
const awakeMsDefault = 93_000;

// Every statement here locks rows in the order of their ids, so that two never deadlock.

// A lower epoch than the stored one is a late report of a previous session owner, and the end of an epoch is its last fact. What
// has not changed is not written, and neither is the end of a session that is not known: a device that was deleted would get a
// row again.
const sessionsSql = `
  INSERT INTO campaigns.device_sessions AS s
    (device_id, account_id, epoch, registered, queue_mode, transport, awake_until, host_gateway)
  SELECT r.device_id, r.account_id, r.epoch, r.registered, r.queue_mode, r.transport, r.awake_until, r.host_gateway
  FROM jsonb_populate_recordset(NULL::campaigns.device_sessions, $1::jsonb) r
  WHERE r.registered OR EXISTS (SELECT FROM campaigns.device_sessions k WHERE k.device_id = r.device_id)
  ORDER BY r.device_id
  ON CONFLICT (device_id) DO UPDATE SET epoch = excluded.epoch, registered = excluded.registered,
    queue_mode = excluded.queue_mode, transport = coalesce(excluded.transport, s.transport),
    awake_until = excluded.awake_until, host_gateway = excluded.host_gateway
  WHERE (s.epoch < excluded.epoch OR (s.epoch = excluded.epoch AND s.registered))
    AND (s.registered, s.queue_mode, s.transport, s.awake_until, s.host_gateway) IS DISTINCT FROM
      (excluded.registered, excluded.queue_mode, coalesce(excluded.transport, s.transport), excluded.awake_until,
        excluded.host_gateway)`;

const forgetSql = `
  WITH locked AS (
    SELECT device_id FROM campaigns.device_sessions WHERE device_id = ANY($1) ORDER BY device_id FOR UPDATE)
  DELETE FROM campaigns.device_sessions s USING locked WHERE s.device_id = locked.device_id`;

/** Makes the turn due of campaigns in which one of the devices waits, or a device behind one of them. */
const wakeSql = `
  WITH locked AS (
    SELECT id FROM campaigns.update_campaigns WHERE state = 'running' AND tick_at > now() AND id IN (
      SELECT campaign_id FROM campaigns.campaign_devices WHERE device_id = ANY($1) AND state = 'waiting'
      UNION ALL
      SELECT d.campaign_id FROM campaigns.device_sessions s
      JOIN campaigns.campaign_devices d ON d.device_id = s.device_id
      WHERE s.host_gateway = ANY($1) AND d.state = 'waiting')
    ORDER BY id FOR NO KEY UPDATE)
  UPDATE campaigns.update_campaigns c SET tick_at = now() FROM locked WHERE c.id = locked.id`;

const lifecycleRows = `jsonb_to_recordset($1::jsonb) AS r ("deviceId" text, "accountId" text, revision bigint, change text)`;

// A new row has the epoch -1, because no session of the device is known yet: the epoch of any session is higher.
const storeRevisions = (rows: string): string => `
  INSERT INTO campaigns.device_sessions AS s (device_id, account_id, epoch, registered, lifecycle_revision)
  SELECT r."deviceId", r."accountId", -1, false, r.revision FROM ${rows} ORDER BY 1
  ON CONFLICT (device_id) DO UPDATE SET lifecycle_revision = excluded.lifecycle_revision
  WHERE s.lifecycle_revision < excluded.lifecycle_revision
  RETURNING device_id`;

const revisionsSql = storeRevisions(lifecycleRows);

// Stores the revisions of devices without an open update, in accounts that select no devices now, which are most. Returns the
// others, and all deleted ones.
const withoutCampaignSql = `
  WITH facts AS (SELECT * FROM ${lifecycleRows}),
  affected AS (
    SELECT f."deviceId" FROM facts f WHERE f.change = 'deleted' OR EXISTS (
      SELECT FROM campaigns.campaign_devices d WHERE d.device_id = f."deviceId" AND d.state IN ('waiting', 'updating'))
    OR EXISTS (SELECT FROM campaigns.update_campaigns c WHERE c.account_id = f."accountId" AND ${isSelecting})),
  stored AS (${storeRevisions('facts r WHERE r."deviceId" NOT IN (SELECT a."deviceId" FROM affected a)')})
  SELECT "deviceId" AS device_id FROM affected`;

// A page that was selected before the change may be read after it. The campaign then leaves deleted devices out, suspended ones
// fail, and resumed ones do not. The fact of a suspension that is over may come again: its revision is not newer than the stored
// one.
const recordChangesSql = `
  WITH changed AS (
    SELECT r."accountId" AS account_id, array_agg(r."deviceId") FILTER (WHERE r.change = 'deleted') AS deleted,
      array_agg(r."deviceId") FILTER (WHERE r.change = 'suspended') AS suspended,
      array_agg(r."deviceId") FILTER (WHERE r.change = 'resumed') AS resumed
    FROM ${lifecycleRows} LEFT JOIN campaigns.device_sessions s ON s.device_id = r."deviceId"
    WHERE r.change = 'deleted' OR r.revision > coalesce(s.lifecycle_revision, -1) GROUP BY 1),
  locked AS (
    SELECT c.id, changed.deleted, changed.suspended, changed.resumed
    FROM campaigns.update_campaigns c JOIN changed ON changed.account_id = c.account_id
    WHERE ${isSelecting} ORDER BY c.id FOR NO KEY UPDATE OF c)
  UPDATE campaigns.update_campaigns c SET deleted_devices = c.deleted_devices || locked.deleted,
    suspended_devices = ARRAY(
      SELECT unnest(c.suspended_devices || locked.suspended) EXCEPT SELECT unnest(locked.resumed)),
    resumed_devices = ARRAY(
      SELECT unnest(c.resumed_devices || locked.resumed) EXCEPT SELECT unnest(locked.suspended))
  FROM locked WHERE c.id = locked.id`;

// SQL conditions on updates. Each has a partial index.
const isOpen = `d.state IN ('waiting', 'updating')`;
const isUpdating = `d.state = 'updating'`;

const endsByChange: Partial<Record<DeviceLifecycleChanged['change'], UpdateEvent>> = deviceEnds;

/** Other changes do not affect updates. */
const decidesUpdates: ReadonlySet<string> = new Set([...Object.keys(deviceEnds), 'resumed']);

/** A device that the operator resumes stays suspended while the system suspends it, and the other way round. */
const asItIs = (fact: DeviceLifecycleChanged): DeviceLifecycleChanged =>
  fact.change === 'resumed' && fact.lifecycleStatus === 'blocked' ? { ...fact, change: 'suspended' } : fact;

const lifecycleJson = (facts: readonly DeviceLifecycleChanged[]): string =>
  JSON.stringify(facts.map(({ deviceId, accountId, revision, change }) => ({ deviceId, accountId, revision, change })));

const isRegistered = ({ change }: DeviceSessionChanged): boolean => change === 'registered' || change === 'updated';

const awakeUntil = ({ occurredAt, awakeMs = awakeMsDefault }: DeviceSessionChanged): string =>
  new Date(Date.parse(occurredAt) + awakeMs).toISOString();

const sessionOf = (fact: DeviceSessionChanged): object => ({
  device_id: fact.deviceId,
  account_id: fact.accountId,
  epoch: fact.epoch,
  registered: isRegistered(fact),
  queue_mode: fact.queueMode ?? fact.item.q ?? false,
  transport: fact.transport ?? null,
  awake_until: (fact.queueMode ?? fact.item.q) ? awakeUntil(fact) : null,
  host_gateway: fact.hostGateway ?? null,
});

/** What campaigns need to know about devices: whether they exist, are registered, and are awake. Facts may be repeated. */
@Injectable()
export class DevicePresence {
  readonly applySessions = sharedWrite((facts: readonly DeviceSessionChanged[]) => this.storeSessions(facts));
  private readonly decide = sharedWrite((facts: readonly DeviceLifecycleChanged[]) => this.applyDecisive(facts));

  constructor(
    private readonly database: DataSource,
    private readonly updates: DeviceUpdates,
  ) {}

  private async storeSessions(facts: readonly DeviceSessionChanged[]): Promise<void> {
    const last = lastOfDevices(facts, ({ epoch }) => epoch);
    await this.database.query(sessionsSql, [JSON.stringify(last.map(sessionOf))]);
    // The deletion of the device may have been read before its registration.
    const deleted = facts.filter(({ reason }) => reason === 'deleted').map(({ deviceId }) => deviceId);
    if (deleted.length > 0) await this.database.query(forgetSql, [deleted]);
    const present = facts.filter(isRegistered).map(({ deviceId }) => deviceId);
    if (present.length > 0) await this.database.query(wakeSql, [present]);
    const registered = facts.filter(({ change }) => change === 'registered').map(({ deviceId }) => deviceId);
    if (registered.length > 0)
      await this.database.transaction(async (manager) => {
        // The others do not change, and the campaign that the registration has woken does not start a device that is locked.
        const rows = await this.rowsOf(manager, registered, isUpdating);
        await this.updates.apply(manager, rows, () => ({ kind: 'registered' }));
      });
  }

  /** Devices that were suspended fail at once, unless a newer fact is known, and deleted ones always. */
  async applyLifecycle(facts: readonly DeviceLifecycleChanged[]): Promise<void> {
    await this.decide(facts.filter(({ change }) => decidesUpdates.has(change)).map(asItIs));
  }

  private async applyDecisive(facts: readonly DeviceLifecycleChanged[]): Promise<void> {
    const last = lastOfDevices(facts, orderOfLifecycle);
    const rows: { device_id: string }[] = await this.database.query(withoutCampaignSql, [lifecycleJson(last)]);
    const affected = new Set(rows.map((row) => row.device_id));
    if (affected.size > 0) await this.endUpdates(last.filter(({ deviceId }) => affected.has(deviceId)));
  }

  private async endUpdates(facts: readonly DeviceLifecycleChanged[]): Promise<void> {
    const deleted = facts.filter(({ change }) => change === 'deleted').map(({ deviceId }) => deviceId);
    await this.database.transaction(async (manager) => {
      // Campaigns are locked before their devices everywhere, and open devices before their sessions.
      await manager.query(recordChangesSql, [lifecycleJson(facts)]);
      const rows = await this.rowsOf(
        manager,
        facts.map(({ deviceId }) => deviceId),
        isOpen,
      );
      const news = new Set([...deleted, ...(await this.newRevisions(manager, facts))]);
      const ends = new Map(facts.map(({ deviceId, change }) => [deviceId, endsByChange[change]]));
      await this.updates.apply(manager, rows, ({ device_id: id }) => (news.has(id) ? ends.get(id) : undefined));
      if (deleted.length > 0) await manager.query(forgetSql, [deleted]);
    });
  }

  /** Stores the revisions of the facts. Returns the devices whose fact is newer than what was stored. */
  private async newRevisions(manager: EntityManager, facts: readonly DeviceLifecycleChanged[]): Promise<string[]> {
    const stored = (await manager.query(revisionsSql, [lifecycleJson(facts)])) as { device_id: string }[];
    return stored.map((row) => row.device_id);
  }

  /** Updates of the devices, locked. */
  private rowsOf(manager: EntityManager, deviceIds: readonly string[], condition: string): Promise<UpdateRow[]> {
    return manager.query(`${selectUpdates} WHERE d.device_id = ANY($1) AND ${condition} ${lockedInOrder}`, [deviceIds]);
  }
}
