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

/**
 * SQL condition: `device_id` is in one of the device groups of the account that a filter names, or in none of them, as
 * its operator says. '' as a value means no group. The values are appended to `parameters`.
 */
export const inGroups = (
  accountId: string,
  { operator, values }: Pick<Filter, 'operator' | 'values'>,
  parameters: unknown[],
): string => {
  const ofAccount = `SELECT m.device_id FROM event_log.memberships m WHERE m.account_id = $${parameters.push(accountId)}`;
  const inOne = `device_id IN (${ofAccount} AND m.groups && $${parameters.push(values)}::text[])`;
  const wanted = values.includes('') ? `(device_id NOT IN (${ofAccount} AND m.groups <> '{}') OR ${inOne})` : inOne;
  return operator === 'eq' || operator === 'in' ? wanted : `NOT ${wanted}`;
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
