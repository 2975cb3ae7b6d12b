import type { DeviceUpdate, Goal } from '../machine/device-update.js';

/** A device of a campaign, with the goal of its campaign. */
export interface UpdateRow {
  campaign_id: string;
  device_id: string;
  account_id: string;
  endpoint_name: string | null;
  state: DeviceUpdate['state'];
  step: DeviceUpdate['step'];
  attempt: number;
  deadline_at: Date | null;
  due_at: Date | null;
  polls: number;
  command_id: string | null;
  delivery: DeviceUpdate['delivery'];
  package_source: string | null;
  ticket_hash: string | null;
  previous_version: string | null;
  instance: number | null;
  code: DeviceUpdate['code'];
  reason: string | null;
  campaign_name: string;
  image_id: string;
  version: string;
  object: Goal['object'];
  package_name: string | null;
  retries: number;
  wanted_delivery: Goal['delivery'];
  download_timeout_seconds: number;
  install_timeout_seconds: number;
  transport: string | null;
  /** When it was read, by the clock of PostgreSQL: those of replicas may differ from it and from each other. */
  now: Date;
}

/** Selects UpdateRows, without WHERE. */
export const selectUpdates = `
  SELECT d.campaign_id, d.device_id, d.account_id, d.endpoint_name, d.state, d.step, d.attempt, d.deadline_at, d.due_at,
    d.polls, d.command_id, d.delivery, d.package_source, d.ticket_hash, d.previous_version, d.instance, d.code, d.reason,
    c.name AS campaign_name, c.image_id, c.version, c.object, c.package_name, c.retries, c.delivery AS wanted_delivery,
    c.download_timeout_seconds, c.install_timeout_seconds, s.transport, clock_timestamp() AS now
  FROM campaigns.campaign_devices d JOIN campaigns.update_campaigns c ON c.id = d.campaign_id
  LEFT JOIN campaigns.device_sessions s ON s.device_id = d.device_id`;

/** Always in the same order, so that two transactions never deadlock. */
export const lockedInOrder = 'ORDER BY d.device_id, d.campaign_id FOR UPDATE OF d';

const msOf = (at: Date | null): number | null => at && at.getTime();

export const updateOf = (row: UpdateRow): DeviceUpdate => ({
  state: row.state,
  step: row.step,
  attempt: row.attempt,
  deadlineMs: msOf(row.deadline_at),
  dueMs: msOf(row.due_at),
  polls: row.polls,
  isCommandPending: row.command_id !== null,
  delivery: row.delivery,
  packageSource: row.package_source,
  previousVersion: row.previous_version,
  instance: row.instance,
  code: row.code,
  reason: row.reason,
});

export const goalOf = (row: UpdateRow): Goal => ({
  object: row.object,
  packageName: row.package_name,
  version: row.version,
  retries: row.retries,
  delivery: row.wanted_delivery,
  downloadTimeoutMs: row.download_timeout_seconds * 1_000,
  installTimeoutMs: row.install_timeout_seconds * 1_000,
});
