import { BackgroundWork, hasRow, isUniqueViolation } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Selections } from '../selection/selections.js';
import { anyDueSql, type CampaignRow, dueSql } from './campaign-row.js';
import { DeviceStarter } from './device-starter.js';
import { OpenDevices } from './open-devices.js';
import { isWithin } from './window.js';

const periodMs = 500;

/** Time until the next turn of a campaign: with devices that could start, and without any. */
const busyMs = 1_000;
const idleMs = 5_000;

/** Changes of a campaign's columns, and when its next turn is. */
type Turn = Record<string, unknown> & { tick_at: Date };

const later = ({ now }: CampaignRow, ms: number): Date => new Date(now.getTime() + ms);

/**
 * Advances campaigns: begins them, starts devices, and ends them. One transaction per turn, in which the campaign is locked:
 * replicas share the campaigns, and a killed one leaves nothing half done.
 */
@Injectable()
export class CampaignWorker extends BackgroundWork {
  /** Accounts that have had a turn in this round: an account with many campaigns does not delay those of others. */
  private readonly served = new Set<string>();

  constructor(
    private readonly database: DataSource,
    private readonly selections: Selections,
    private readonly starter: DeviceStarter,
    private readonly open: OpenDevices,
  ) {
    super(periodMs, 'campaigns not continued, tried again');
  }

  protected async step(): Promise<boolean> {
    if (!(await hasRow(this.database, anyDueSql))) return false;
    try {
      return await this.database.transaction((manager) => this.turn(manager));
    } catch (error) {
      // Another campaign has just started the update of one of the devices. The next step leaves this device out.
      if (isUniqueViolation(error)) return true;
      throw error;
    }
  }

  private async turn(manager: EntityManager): Promise<boolean> {
    const [campaign] = (await manager.query(dueSql, [[...this.served]])) as CampaignRow[];
    if (!campaign) return false;
    this.recordTurn(campaign);
    const turn = await this.advance(manager, campaign);
    const columns = Object.entries(turn).map(([name], i) => `${name} = $${i + 2}`);
    // Another state is another version of the record.
    if ('state' in turn) columns.push('updated_at = clock_timestamp()');
    await manager.query(`UPDATE campaigns.update_campaigns SET ${columns.join(', ')} WHERE id = $1`, [
      campaign.id,
      ...Object.values(turn),
    ]);
    return true;
  }

  /** When all accounts with a due campaign have had a turn, the next round begins. */
  private recordTurn({ account_id: accountId }: CampaignRow): void {
    if (this.served.has(accountId)) this.served.clear();
    this.served.add(accountId);
  }

  private advance(manager: EntityManager, campaign: CampaignRow): Promise<Turn> | Turn {
    if (campaign.state === 'stopping') return this.endCampaign(manager, campaign);
    if (this.hasEnded(campaign)) return { state: 'stopping', reason: 'ended', tick_at: campaign.now };
    if (campaign.state === 'scheduled') return this.begin(manager, campaign);
    if (campaign.state === 'running') return this.run(manager, campaign);
    return { tick_at: campaign.ends_at ?? later(campaign, idleMs) };
  }

  private async begin(manager: EntityManager, campaign: CampaignRow): Promise<Turn> {
    const startsMs = campaign.starts_at?.getTime() ?? 0;
    if (startsMs > campaign.now.getTime()) return { tick_at: new Date(startsMs) };
    const selection = await this.selections.begin(manager, campaign, campaign.now);
    return { ...selection, state: 'running', started_at: campaign.now, tick_at: later(campaign, idleMs) };
  }

  private async run(manager: EntityManager, campaign: CampaignRow): Promise<Turn> {
    const counts = await this.open.count(manager, campaign.id);
    if (counts.open === 0 && campaign.selection_complete) return this.done(campaign, 'done');
    if (this.failsTooOften(campaign, counts))
      return { state: 'stopping', reason: 'failure rate', tick_at: campaign.now };
    const { window_from: from, window_to: to } = campaign;
    if (!isWithin(from !== null && to !== null ? { from, to } : null, campaign.now.getTime()))
      return { tick_at: later(campaign, idleMs) };
    const room = campaign.concurrency - counts.updating;
    const mayContinue = await this.starter.start(manager, campaign.id, room);
    return { tick_at: later(campaign, mayContinue ? busyMs : idleMs) };
  }

  /** Ends the open devices, a few hundred in each turn, and then the campaign. */
  private async endCampaign(manager: EntityManager, campaign: CampaignRow): Promise<Turn> {
    if (await this.open.endSome(manager, campaign)) return { tick_at: campaign.now };
    const counts = await this.open.count(manager, campaign.id);
    if (counts.open > 0) return { tick_at: later(campaign, busyMs) };
    return this.done(campaign, campaign.reason === 'ended' ? 'done' : 'aborted');
  }

  private done({ now }: CampaignRow, state: 'done' | 'aborted'): Turn {
    return { state, finished_at: now, tick_at: now };
  }

  private hasEnded({ ends_at: endsAt, now }: CampaignRow): boolean {
    return endsAt !== null && endsAt <= now;
  }

  private failsTooOften(
    { failure_percent_max: max, failure_count_min: min }: CampaignRow,
    { failed, succeeded }: { failed: number; succeeded: number },
  ): boolean {
    return max !== null && failed >= min && (failed * 100) / (failed + succeeded) > max;
  }
}
