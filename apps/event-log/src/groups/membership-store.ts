import type { DeviceGroupsChanged } from '@lanyard/contracts';
import { lastOfDevices } from '@lanyard/kafka';
import { columnsOf, type Filter } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

// A device that has left its last group keeps its revision (membership-retention.ts), so that an older fact finds it.
const putSql = `
  INSERT INTO event_log.memberships AS m (device_id, account_id, groups, revision)
  SELECT r.device_id, r.account_id, string_to_array(r.groups, ','), r.revision
  FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) AS r (device_id, account_id, groups, revision)
  ON CONFLICT (device_id) DO UPDATE SET groups = excluded.groups, revision = excluded.revision, changed_at = now()
  WHERE m.revision < excluded.revision`;

/** SQL of the groups that the device of an entry, `device_events`, is in. */
const groupsOfDevice = (account: string): string => `coalesce((SELECT m.groups FROM event_log.memberships m
  WHERE m.device_id = device_events.device_id AND m.account_id = ${account}), '{}')`;

/**
 * SQL condition on `event_log.device_events`: the device is in one of the device groups of the account that a filter
 * names, or in none of them, as its operator says. '' as a value means no group. The values are appended to
 * `parameters`. A filter for members reads the list of the members. Any other reads the groups of the device of each
 * entry: with NOT IN, PostgreSQL would search the whole list for each entry if the list exceeds `work_mem`.
 */
export const inGroups = (
  accountId: string,
  { operator, values }: Pick<Filter, 'operator' | 'values'>,
  parameters: unknown[],
): string => {
  const account = `$${parameters.push(accountId)}`;
  const named = `$${parameters.push(values)}::text[]`;
  const isWanted = operator === 'eq' || operator === 'in';
  const hasNone = values.includes('');
  if (isWanted && !hasNone)
    return `device_id IN (SELECT m.device_id FROM event_log.memberships m
      WHERE m.account_id = ${account} AND m.groups && ${named})`;
  const groups = groupsOfDevice(account);
  const isIn = hasNone ? `(${groups} = '{}' OR ${groups} && ${named})` : `(${groups} && ${named})`;
  return isWanted ? isIn : `NOT ${isIn}`;
};

/** The service's own copy of the memberships of device groups. */
@Injectable()
export class MembershipStore {
  constructor(private readonly database: DataSource) {}

  /** A batch may be repeated or late: of two facts of a device, the one with the higher revision wins. */
  async apply(facts: readonly DeviceGroupsChanged[]): Promise<void> {
    const last = lastOfDevices(facts, ({ revision }) => revision);
    const rows = last.map((f) => [f.deviceId, f.accountId, f.groups.join(','), f.revision]);
    if (rows.length > 0) await this.database.query(putSql, columnsOf(rows));
  }
}
