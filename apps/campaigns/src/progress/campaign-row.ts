import type { CampaignState } from '../campaigns/campaign-record.js';

export interface CampaignRow {
  id: string;
  account_id: string;
  group_id: string | null;
  filter: string | null;
  state: CampaignState;
  reason: string | null;
  starts_at: Date | null;
  ends_at: Date | null;
  window_from: string | null;
  window_to: string | null;
  concurrency: number;
  failure_percent_max: number | null;
  failure_count_min: number;
  started_at: Date | null;
  selection_complete: boolean;
  /** When the turn began, by the clock of PostgreSQL: those of replicas may differ from it and from each other. */
  now: Date;
}

/** SQL condition: the campaign, or its dry run, waits for a page of its devices. */
export const isSelecting = `
  selection_id IS NOT NULL AND NOT selection_complete AND state NOT IN ('stopping', 'done', 'aborted')`;

/**
 * It is the campaign's turn. A paused one has a turn when it ends. A running one has a turn every few seconds: if its next one
 * is further away, the clock of PostgreSQL was set back since, as by a failover.
 */
const isDue = `
  state IN ('scheduled', 'running', 'stopping', 'paused')
  AND (tick_at <= now() OR state IN ('running', 'stopping') AND tick_at > now() + interval '1 minute')`;

export const anyDueSql = `SELECT FROM campaigns.update_campaigns WHERE ${isDue}`;

/** Locks the next campaign whose turn it is. Those of the accounts $1, which have had their turn, come last. */
export const dueSql = `
  SELECT id, account_id, group_id, filter, state, reason, starts_at, ends_at, window_from, window_to, concurrency,
    failure_percent_max, failure_count_min, started_at, selection_complete, now() AS now
  FROM campaigns.update_campaigns
  WHERE ${isDue} ORDER BY account_id = ANY($1::text[]), tick_at LIMIT 1 FOR UPDATE SKIP LOCKED`;
