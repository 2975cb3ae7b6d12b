import { DeviceEvents, type DeviceSelectionAnswered, type SelectedDevice } from '@lanyard/contracts';
import { Outbox } from '@lanyard/kafka';
import { countOf } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { emptyForecast, type Forecast } from '../campaigns/campaign-record.js';
import { campaignDevicesMax } from '../limits.js';
import { deviceEnds } from '../machine/device-update.js';
import { Selections } from '../selection/selections.js';
import { isSelecting } from './campaign-row.js';
import { DeviceUpdates } from './device-updates.js';
import { addedEntry } from './entries.js';
import { forecastOf } from './forecast.js';
import { lockedInOrder, selectUpdates, type UpdateRow } from './update-row.js';

interface SelectingCampaign {
  id: string;
  account_id: string;
  group_id: string | null;
  filter: string | null;
  state: string;
  version: string;
  object: number;
  selection_page: number;
  dry_run: Forecast | null;
  /** Ids of devices that were deleted since the selection began. */
  deleted_devices: string[];
  /** Ids of devices that were suspended since the selection began, and were not resumed. */
  suspended_devices: string[];
  /** Ids of devices that were resumed since the selection began, and were not suspended again. */
  resumed_devices: string[];
}

const campaignSql = `
  SELECT id, account_id, group_id, filter, state, version, object, selection_page, dry_run, deleted_devices,
    suspended_devices, resumed_devices
  FROM campaigns.update_campaigns WHERE selection_id = $1 AND ${isSelecting} FOR UPDATE`;

const addSql = `
  INSERT INTO campaigns.campaign_devices (campaign_id, device_id, account_id, endpoint_name, added_at, updated_at)
  SELECT $1, d."deviceId", $2, d."endpointName", now(), now()
  FROM jsonb_to_recordset($3::jsonb) AS d ("deviceId" text, "endpointName" text)
  ON CONFLICT DO NOTHING`;

/** The data of the directory applies until a fact of the session arrives. */
const presenceSql = `
  INSERT INTO campaigns.device_sessions AS s (device_id, account_id, epoch, registered)
  SELECT d."deviceId", $1, -1, d."isRegistered"
  FROM jsonb_to_recordset($2::jsonb) AS d ("deviceId" text, "isRegistered" boolean)
  ORDER BY 1 ON CONFLICT (device_id) DO UPDATE SET registered = excluded.registered
  WHERE s.epoch < 0 AND s.registered <> excluded.registered`;

const tooMany = `more than ${campaignDevicesMax} devices`;

/** The devices of a page, without those that were deleted since the selection began, and as they were suspended or resumed. */
const asTheyAre = (devices: readonly SelectedDevice[], campaign: SelectingCampaign): SelectedDevice[] => {
  const deleted = new Set(campaign.deleted_devices);
  const statuses = new Map<string, SelectedDevice['lifecycleStatus']>([
    ...campaign.resumed_devices.map((id) => [id, 'enabled'] as const),
    ...campaign.suspended_devices.map((id) => [id, 'blocked'] as const),
  ]);
  return devices
    .filter(({ deviceId }) => !deleted.has(deviceId))
    .map((one) => ({ ...one, lifecycleStatus: statuses.get(one.deviceId) ?? one.lifecycleStatus }));
};

/**
 * Accepts the pages of selections: devices of campaigns, or the counts of dry runs. Pages may be repeated. A campaign that stops
 * accepts no more pages. A device that was deleted since it was selected is left out, and one that was suspended fails: no fact
 * would end its wait. One that was resumed since then does not fail.
 */
@Injectable()
export class SelectionPages {
  constructor(
    private readonly database: DataSource,
    private readonly selections: Selections,
    private readonly updates: DeviceUpdates,
    private readonly outbox: Outbox,
  ) {}

  async apply(page: DeviceSelectionAnswered): Promise<void> {
    await this.database.transaction(async (manager) => {
      const [campaign] = (await manager.query(campaignSql, [page.selectionId])) as SelectingCampaign[];
      if (campaign?.selection_page !== page.page) return;
      if (page.refusal) return this.refuse(manager, campaign, page.refusal.message);
      const devices = asTheyAre(page.devices, campaign);
      await manager.query(presenceSql, [page.accountId, JSON.stringify(devices)]);
      if (!(await this.store(manager, campaign, { ...page, devices }))) return this.refuse(manager, campaign, tooMany);
      await this.continueSelection(manager, campaign, page);
    });
  }

  /** Returns false if the devices are too many. */
  private store(manager: EntityManager, campaign: SelectingCampaign, page: DeviceSelectionAnswered): Promise<boolean> {
    if (campaign.state === 'draft') return this.addToForecast(manager, campaign, page);
    return this.add(manager, campaign, page.devices);
  }

  /** Requests the next page, or records that this was the last one. */
  private async continueSelection(
    manager: EntityManager,
    campaign: SelectingCampaign,
    { selectionId, page, hasMore, devices }: DeviceSelectionAnswered,
  ): Promise<void> {
    const next = { selectionId, page: page + 1, after: devices.at(-1)?.deviceId };
    if (hasMore) await this.selections.request(manager, campaign, next);
    await manager.query(
      `UPDATE campaigns.update_campaigns SET selection_page = $2, selection_complete = $3, selection_asked_at = now(),
         tick_at = least(tick_at, now()), deleted_devices = CASE WHEN $3 THEN '{}' ELSE deleted_devices END,
         suspended_devices = CASE WHEN $3 THEN '{}' ELSE suspended_devices END,
         resumed_devices = CASE WHEN $3 THEN '{}' ELSE resumed_devices END
       WHERE id = $1`,
      [campaign.id, page + 1, !hasMore],
    );
  }

  private async addToForecast(
    manager: EntityManager,
    campaign: SelectingCampaign,
    page: DeviceSelectionAnswered,
  ): Promise<boolean> {
    const { dry_run: before, id } = campaign;
    const counted = await forecastOf(manager, page.devices, campaign);
    const sum = Object.fromEntries(
      Object.entries(counted).map(([name, n]) => [name, n + Number(before?.[name as keyof Forecast] ?? 0)]),
    );
    const forecast = { ...emptyForecast, ...sum, state: page.hasMore ? 'running' : 'done' };
    if (forecast.devices > campaignDevicesMax) return false;
    await manager.query('UPDATE campaigns.update_campaigns SET dry_run = $2 WHERE id = $1', [
      id,
      JSON.stringify(forecast),
    ]);
    return true;
  }

  private async add(
    manager: EntityManager,
    { id, account_id: accountId, selection_page: page }: SelectingCampaign,
    devices: readonly SelectedDevice[],
  ): Promise<boolean> {
    // For the first page, when no device is stored yet, the count is that of the empty id, which no campaign has: 0.
    const known = await countOf(manager, 'campaigns.campaign_devices WHERE campaign_id = $1', [page === 0 ? '' : id]);
    if (known + devices.length > campaignDevicesMax) return false;
    await manager.query(addSql, [id, accountId, JSON.stringify(devices)]);
    const rows = (await manager.query(
      `${selectUpdates} WHERE d.campaign_id = $1 AND d.device_id = ANY($2) ${lockedInOrder}`,
      [id, devices.map(({ deviceId }) => deviceId)],
    )) as UpdateRow[];
    await this.outbox.appendAll(
      manager,
      DeviceEvents,
      rows.map((row) => addedEntry(row, row.now.getTime())),
    );
    const blocked = new Set(devices.flatMap((one) => (one.lifecycleStatus === 'blocked' ? [one.deviceId] : [])));
    await this.updates.apply(manager, rows, (row) => (blocked.has(row.device_id) ? deviceEnds.suspended : undefined));
    return true;
  }

  /** The campaign cannot run; a draft can be corrected. */
  private async refuse(manager: EntityManager, { id, state }: SelectingCampaign, message: string): Promise<void> {
    const refused = JSON.stringify({ ...emptyForecast, state: 'refused', message });
    const columns =
      state === 'draft' ? 'dry_run = $2::jsonb' : `state = 'stopping', reason = $2, updated_at = clock_timestamp()`;
    await manager.query(
      `UPDATE campaigns.update_campaigns SET selection_complete = true, tick_at = now(), ${columns} WHERE id = $1`,
      [id, state === 'draft' ? refused : message],
    );
  }
}
