import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type EndCode, mayHavePackage, type UpdateEvent } from '../machine/device-update.js';
import { noAnswer } from '../machine/handlers.js';
import type { CampaignRow } from './campaign-row.js';
import { DeviceUpdates } from './device-updates.js';
import { selectUpdates, type UpdateRow } from './update-row.js';

const endsAtOnce = 500;

export interface Counts {
  open: number;
  updating: number;
  /** Without those that failed before their first attempt, for example because they are suspended. */
  failed: number;
  succeeded: number;
}

const countSql = `
  SELECT (count(*) FILTER (WHERE state IN ('waiting', 'updating')))::int AS open,
    (count(*) FILTER (WHERE state = 'updating'))::int AS updating,
    (count(*) FILTER (WHERE state = 'failed' AND attempt > 0))::int AS failed,
    (count(*) FILTER (WHERE state = 'succeeded'))::int AS succeeded
  FROM campaigns.campaign_devices WHERE campaign_id = $1`;

const registeredSql = `
  SELECT device_id FROM campaigns.device_sessions WHERE device_id = ANY($1) AND registered`;

type End = Extract<UpdateEvent, { kind: 'ended' }>;

const ended = (state: End['state'], code: EndCode, reason: string): End => ({ kind: 'ended', state, code, reason });

const whyStopped = (reason: string | null): string => {
  if (reason === 'failure rate') return 'too many devices of the campaign failed';
  return reason === 'aborted' ? 'campaign aborted' : `campaign aborted: ${reason}`;
};

/** Devices of a campaign that have not finished. */
@Injectable()
export class OpenDevices {
  constructor(private readonly updates: DeviceUpdates) {}

  async count(manager: EntityManager, campaignId: string): Promise<Counts> {
    const [counts] = (await manager.query(countSql, [campaignId])) as [Counts];
    return counts;
  }

  /**
   * Ends devices of a campaign that stops; returns whether there were any. Only an operator's abort ends updates that are
   * under way.
   */
  async endSome(manager: EntityManager, { id, reason }: CampaignRow): Promise<boolean> {
    const states = reason === 'aborted' ? ['waiting', 'updating'] : ['waiting'];
    const rows = (await manager.query(
      `${selectUpdates} WHERE d.campaign_id = $1 AND d.state = ANY($2)
       ORDER BY d.device_id LIMIT ${endsAtOnce} FOR UPDATE OF d SKIP LOCKED`,
      [id, states],
    )) as UpdateRow[];
    if (rows.length === 0) return false;
    const registered = await this.registeredOf(manager, rows);
    await this.updates.apply(manager, rows, (row) => this.endOf(row, reason, registered));
    return true;
  }

  private endOf(row: UpdateRow, reason: string | null, registered: ReadonlySet<string>): End {
    if (reason !== 'ended') {
      const untouched = reason === 'failure rate' ? 'SYS_109' : 'SYS_103';
      return ended('stopped', mayHavePackage(row) ? 'SYS_104' : untouched, whyStopped(reason));
    }
    const { device_id: id, reason: failure } = row;
    // The device was registered when the attempt began: it ends as if no other attempt could have followed.
    if (failure !== null) return ended('failed', failure === noAnswer ? 'SYS_100' : 'SYS_111', failure);
    return ended('failed', registered.has(id) ? 'SYS_100' : 'SYS_101', 'not reached before the campaign ended');
  }

  private async registeredOf(manager: EntityManager, rows: readonly UpdateRow[]): Promise<Set<string>> {
    const found = (await manager.query(registeredSql, [rows.map((row) => row.device_id)])) as { device_id: string }[];
    return new Set(found.map((row) => row.device_id));
  }
}
