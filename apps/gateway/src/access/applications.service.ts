import {
  CLOCK,
  type Clock,
  dividedChange,
  inOrder,
  type ListEnvelope,
  listEnvelope,
  type ListQuery,
  newId,
  refuseOtherValues,
} from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, In } from 'typeorm';
import { KnownKeys } from '../authentication/known-keys.js';
import { AccountLimitExceeded } from '../errors.js';
import { type AccountChange, AccountChanges } from './account-changes.js';
import type { Account } from '../db/account.entity.js';
import {
  type ApplicationChange,
  applicationChanges,
  applicationRecord,
  type ApplicationRecord,
  type NewApplication,
} from './application-record.js';
import { Application } from '../db/application.entity.js';
import { type By, type AuditAction, differences, mustBeMeant } from './by.js';
import {
  addToGroups,
  applicationOf,
  groupsOf,
  groupsOfNew,
  isInExactly,
  removeFromGroups,
  storeHolder,
} from './membership.js';
import { pageOfIds } from './page-of-ids.js';
import { timesOfUse } from './sent-back.js';

/** Default quota of applications, by tier. */
export const applicationsMax: Record<Account['tier'], number> = { free: 4, commercial: 25 };

const columns = { id: 't.id', name: 't.name', status: 'upper(t.status)' };

const targetOf = ({ id, name }: Application): AuditAction['target'] => ({ kind: 'application', id, name });

/** Applications of an account, each with access keys, a channel and subscriptions. */
@Injectable()
export class Applications {
  constructor(
    private readonly database: DataSource,
    private readonly changes: AccountChanges,
    private readonly known: KnownKeys,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async list(accountId: string, query: ListQuery): Promise<ListEnvelope<ApplicationRecord>> {
    const { manager } = this.database;
    const source = { from: 'applications t', columns, where: 't.account_id = $1', parameters: [accountId] };
    const { ids, total } = await pageOfIds(manager, source, query);
    const found = await manager.find(Application, { where: { id: In(ids) }, relations: { groups: true } });
    return listEnvelope(inOrder(ids, found).map(applicationRecord), query, total);
  }

  async get(accountId: string, id: string): Promise<ApplicationRecord> {
    return applicationRecord(await applicationOf(this.database.manager, accountId, id));
  }

  /** Throws AccountLimitExceeded. */
  async create(by: By, wanted: NewApplication): Promise<ApplicationRecord> {
    const { accountId } = by;
    const made = await this.changes.run(by, async ({ manager, account, now, announce, record }) => {
      await this.refuseBeyond(manager, account);
      const application = manager.create(Application, {
        id: newId(this.clock.now()),
        accountId,
        name: wanted.name,
        description: wanted.description ?? '',
        status: wanted.status === 'INACTIVE' ? 'inactive' : 'active',
        revision: 1,
        createdAt: now,
        updatedAt: now,
        lastUsedAt: null,
        groups: await groupsOfNew(manager, accountId, wanted.groups),
      });
      await manager.save(application);
      await announce(application);
      await record(by.caller, { action: 'SYS_530', target: targetOf(application) });
      return application;
    });
    return applicationRecord(made);
  }

  async update(by: By, id: string, body: ApplicationChange): Promise<ApplicationRecord> {
    const { changes: wanted, unchanged } = dividedChange(body, applicationChanges);
    const application = await this.change(by, id, async (change, found) => {
      const before = applicationRecord(found);
      refuseOtherValues(unchanged, before, timesOfUse);
      if (wanted.name !== undefined) found.name = wanted.name;
      if (wanted.description !== undefined) found.description = wanted.description ?? '';
      if (wanted.status !== undefined) found.status = wanted.status === 'ACTIVE' ? 'active' : 'inactive';
      if (wanted.groups !== undefined && !isInExactly(found, wanted.groups))
        found.groups = await groupsOf(change.manager, by.accountId, wanted.groups);
      await storeHolder(change, found);
      return { action: 'SYS_531', changes: differences(before, applicationRecord(found)) };
    });
    return applicationRecord(application);
  }

  /** Its access keys and its channel are removed with it. */
  async remove(by: By, id: string): Promise<void> {
    await this.change(by, id, async ({ manager, now, announce }, application) => {
      application.revision += 1;
      application.updatedAt = now;
      await announce(application, 'deleted');
      await manager.delete(Application, { id });
      return { action: 'SYS_532' };
    });
  }

  async addGroups(by: By, id: string, groupIds: readonly string[]): Promise<void> {
    await this.change(by, id, async (change, found) => {
      await addToGroups(change, [found], await groupsOf(change.manager, by.accountId, groupIds));
      return { action: 'SYS_523', data: { groups: groupIds.join(',') } };
    });
  }

  async removeGroups(by: By, id: string, groupIds: readonly string[]): Promise<void> {
    await this.change(by, id, async (change, found) => {
      await groupsOf(change.manager, by.accountId, groupIds);
      await removeFromGroups(change, [found], groupIds);
      return { action: 'SYS_524', data: { groups: groupIds.join(',') } };
    });
  }

  private async refuseBeyond(manager: EntityManager, { id, tier, limits }: Account): Promise<void> {
    const max = limits.applications ?? applicationsMax[tier];
    if ((await manager.countBy(Application, { accountId: id })) >= max)
      throw new AccountLimitExceeded('applications', max);
  }

  private async change(
    by: By,
    id: string,
    work: (change: AccountChange, application: Application) => Promise<Omit<AuditAction, 'target'>>,
  ): Promise<Application> {
    const changed = await this.changes.run(by, async (change) => {
      const application = await applicationOf(change.manager, by.accountId, id);
      mustBeMeant(by, application);
      const audited = await work(change, application);
      await change.record(by.caller, { ...audited, target: targetOf(application) });
      return application;
    });
    this.known.outdate(id);
    return changed;
  }
}
