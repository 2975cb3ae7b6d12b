import {
  filtersToSql,
  isId,
  listEnvelope,
  type ListEnvelope,
  type ListQuery,
  type ListSpec,
  newId,
} from '@lanyard/service';
import type { DataSource, EntityManager } from 'typeorm';
import { etagOf, isUniqueViolation } from '../devices/devices.service.js';
import { mustMatch } from '../etag.js';
import { DeviceNotFound, GroupNameTaken, GroupNotFound, PageNotFound } from '../errors.js';
import type { Group, GroupChanges, NewGroup } from './group-fields.js';

const iso = (column: string): string => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

const devicesCount = '(SELECT count(*)::int FROM registry.group_members m WHERE m.group_id = g.id)';

const selectGroups = `
  SELECT 'device-group' AS object, g.id, g.name, g.description, g.custom_attributes, ${devicesCount} AS devices_count,
    ${iso('g.created_at')} AS created_at, ${iso('g.updated_at')} AS updated_at, ${iso('g.updated_at')} AS etag
  FROM registry.device_groups g`;

export const groupListSpec: ListSpec = {
  filters: { id: 'text', name: 'text', devices_count: 'number', created_at: 'date', updated_at: 'date' },
  maps: ['custom_attributes'],
};

const columns = {
  id: 'g.id',
  name: 'g.name',
  devices_count: devicesCount,
  created_at: 'g.created_at',
  updated_at: 'g.updated_at',
  custom_attributes: 'g.custom_attributes',
};

const refusingTakenNames = async <T>(write: () => Promise<T>): Promise<T> => {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error)) throw new GroupNameTaken();
    throw error;
  }
};

/** Device groups (spec §2.1, §4.1). */
export class GroupsService {
  constructor(private readonly database: DataSource) {}

  async list(accountId: string, query: ListQuery): Promise<ListEnvelope<Group>> {
    const parameters: unknown[] = [accountId];
    const conditions = ['g.account_id = $1', ...filtersToSql(query.filters, columns, parameters)];
    const counted: { n: number }[] = query.includeTotal
      ? await this.database.query(
          `SELECT count(*)::int AS n FROM registry.device_groups g WHERE ${conditions.join(' AND ')}`,
          parameters,
        )
      : [];
    if (query.after) {
      if (!(await this.exists(accountId, query.after))) throw new PageNotFound();
      conditions.push(`g.id ${query.order === 'ASC' ? '>' : '<'} $${parameters.push(query.after)}`);
    }
    const rows: Group[] = await this.database.query(
      `${selectGroups} WHERE ${conditions.join(' AND ')} ORDER BY g.id ${query.order} LIMIT ${query.limit + 1}`,
      parameters,
    );
    return listEnvelope(rows, query, counted[0]?.n);
  }

  async get(accountId: string, id: string): Promise<Group> {
    const [group]: Group[] = isId(id)
      ? await this.database.query(`${selectGroups} WHERE g.id = $1 AND g.account_id = $2`, [id, accountId])
      : [];
    if (!group) throw new GroupNotFound();
    return group;
  }

  async create(accountId: string, { name, description, custom_attributes }: NewGroup): Promise<Group> {
    const id = newId();
    await refusingTakenNames(() =>
      this.database.query(
        'INSERT INTO registry.device_groups (id, account_id, name, description, custom_attributes) VALUES ($1, $2, $3, $4, $5)',
        [id, accountId, name, description, JSON.stringify(custom_attributes)],
      ),
    );
    return this.get(accountId, id);
  }

  /** Throws EtagDiffers for another version. */
  async change(
    accountId: string,
    id: string,
    { name, description, custom_attributes }: GroupChanges,
    ifMatch?: string,
  ): Promise<Group> {
    await refusingTakenNames(() =>
      this.held(accountId, id, ifMatch, (manager) =>
        manager.query(
          `UPDATE registry.device_groups SET name = COALESCE($3, name), description = COALESCE($4, description),
           custom_attributes = COALESCE($5::jsonb, custom_attributes), updated_at = clock_timestamp()
         WHERE id = $1 AND account_id = $2`,
          [
            id,
            accountId,
            name ?? null,
            description === null ? '' : (description ?? null),
            custom_attributes ? JSON.stringify(custom_attributes) : null,
          ],
        ),
      ),
    );
    return this.get(accountId, id);
  }

  async remove(accountId: string, id: string, ifMatch?: string): Promise<void> {
    await this.held(accountId, id, ifMatch, (manager) =>
      manager.query('DELETE FROM registry.device_groups WHERE id = $1', [id]),
    );
  }

  private async held(
    accountId: string,
    id: string,
    ifMatch: string | undefined,
    work: (manager: EntityManager) => Promise<unknown>,
  ): Promise<void> {
    await this.database.transaction(async (manager) => {
      const [found] = (await manager.query(
        `SELECT ${etagOf} FROM registry.device_groups WHERE id = $1 AND account_id = $2 FOR UPDATE`,
        [id, accountId],
      )) as { etag: string }[];
      if (!found) throw new GroupNotFound();
      mustMatch(ifMatch, found.etag);
      await work(manager);
    });
  }

  /** Adding a member again changes nothing. */
  async add(accountId: string, groupId: string, deviceId: string): Promise<void> {
    await this.get(accountId, groupId);
    await this.mustHaveDevice(accountId, deviceId);
    await this.database.query(
      'INSERT INTO registry.group_members (group_id, device_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [groupId, deviceId],
    );
  }

  /** Removing a device that is no member changes nothing. */
  async take(accountId: string, groupId: string, deviceId: string): Promise<void> {
    await this.get(accountId, groupId);
    await this.mustHaveDevice(accountId, deviceId);
    await this.database.query('DELETE FROM registry.group_members WHERE group_id = $1 AND device_id = $2', [
      groupId,
      deviceId,
    ]);
  }

  private async mustHaveDevice(accountId: string, deviceId: string): Promise<void> {
    const found: unknown[] = await this.database.query(
      'SELECT 1 FROM registry.devices WHERE id = $1 AND account_id = $2',
      [deviceId, accountId],
    );
    if (found.length === 0) throw new DeviceNotFound();
  }

  private async exists(accountId: string, id: string): Promise<boolean> {
    const found: unknown[] = await this.database.query(
      'SELECT 1 FROM registry.device_groups WHERE id = $1 AND account_id = $2',
      [id, accountId],
    );
    return found.length > 0;
  }
}
