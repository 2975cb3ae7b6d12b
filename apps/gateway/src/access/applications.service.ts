import { changesOf, CLOCK, type Clock, newId, type RequestContext } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Account } from '../db/account.entity.js';
import { Application } from '../db/application.entity.js';
import { AccountLimitExceeded } from '../errors.js';
import { AccountTransactions } from './account-transactions.js';
import {
  ApplicationChange,
  applicationChanges,
  applicationRecord,
  ApplicationRecord,
  NewApplication,
} from './application-record.js';
import { differences } from './audit-action.js';
import { PrincipalsService } from './principals.service.js';
import { applicationOf, groupsOf, groupsOfNew, isInExactly, storePrincipal } from './membership.js';
import { timesOfUse } from './sent-back.js';

/** By tier; an account may have another quota. */
export const applicationsMax: Record<Account['tier'], number> = { free: 4, commercial: 25 };

/** Applications of an account, each with access keys, a channel and subscriptions. */
@Injectable()
export class ApplicationsService extends PrincipalsService<Application, ApplicationRecord> {
  protected readonly record = applicationRecord;

  constructor(
    database: DataSource,
    transactions: AccountTransactions,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    super(database, transactions, {
      object: 'application',
      entity: Application,
      table: 'applications',
      idsInGroup: 'SELECT application_id FROM application_groups WHERE group_id = $2',
      columns: { status: 'upper(t.status)' },
      find: applicationOf,
    });
  }

  /** Throws AccountLimitExceeded. */
  async create(context: RequestContext, wanted: NewApplication): Promise<ApplicationRecord> {
    const { accountId } = context;
    const made = await this.transactions.run(context, async ({ manager, account, now, announce, record }) => {
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
      const changes = { groups: application.groups.map((group) => group.id).join(',') };
      await record(context.caller, { action: 'SYS_530', target: this.targetOf(application), changes });
      return application;
    });
    return applicationRecord(made);
  }

  async update(context: RequestContext, body: ApplicationChange): Promise<ApplicationRecord> {
    const application = await this.change(context, async (transaction, found) => {
      const before = applicationRecord(found);
      const wanted = changesOf(body, applicationChanges, before, timesOfUse);
      if (wanted.name !== undefined) found.name = wanted.name;
      if (wanted.description !== undefined) found.description = wanted.description ?? '';
      if (wanted.status !== undefined) found.status = wanted.status === 'ACTIVE' ? 'active' : 'inactive';
      if (wanted.groups !== undefined && !isInExactly(found, wanted.groups))
        found.groups = await groupsOf(transaction.manager, context.accountId, wanted.groups);
      await storePrincipal(transaction, found);
      return { action: 'SYS_531', changes: differences(before, applicationRecord(found)) };
    });
    return applicationRecord(application);
  }

  /** Its access keys and its channel are removed with it. */
  remove(context: RequestContext): Promise<void> {
    return this.removeWith(context, 'SYS_532');
  }

  private async refuseBeyond(manager: EntityManager, { id, tier, limits }: Account): Promise<void> {
    const max = limits.applications ?? applicationsMax[tier];
    if ((await manager.countBy(Application, { accountId: id })) >= max)
      throw new AccountLimitExceeded('applications', max);
  }
}
