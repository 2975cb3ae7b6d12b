import {
  changesOf,
  CLOCK,
  type Clock,
  formatTimestamp,
  hashSecret,
  type ListEnvelope,
  type ListQuery,
  newId,
  newSecret,
  type RequestContext,
} from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AccessKey } from '../db/access-key.entity.js';
import { AccessKeyLimitExceeded, AccessKeyNotFound } from '../errors.js';
import { type AccountTransaction, AccountTransactions } from './account-transactions.js';
import {
  AccessKeyChange,
  accessKeyChanges,
  accessKeyRecord,
  AccessKeyRecord,
  NewAccessKey,
} from './application-record.js';
import { type AuditAction, differences, requireIfMatch } from './audit-action.js';
import { changedStatus, futureDate, isOtherTime } from './expiration.js';
import { applicationOf, storePrincipal } from './membership.js';
import { pageOfEntities } from './page-of-entities.js';
import { timesOfUse, withSentKey } from './sent-back.js';

/** One in use, and one that replaces it. */
export const accessKeysPerApplicationMax = 2;

const source = {
  entity: AccessKey,
  from: 'access_keys t',
  columns: {
    status: `(CASE WHEN t.status <> 'active' THEN 'INACTIVE' WHEN t.expires_at <= now() THEN 'EXPIRED' ELSE 'ACTIVE' END)`,
  },
  where: 't.account_id = $1 AND ($2::text IS NULL OR t.application_id = $2)',
};

const keyOfApplication = async (
  manager: EntityManager,
  accountId: string,
  id: string,
  applicationId?: string,
): Promise<AccessKey> => {
  const where = { accountId, id, ...(applicationId !== undefined && { applicationId }) };
  const key = await manager.findOne(AccessKey, { where });
  if (!key) throw new AccessKeyNotFound();
  return key;
};

/** Access keys are secrets of applications. A change of one is announced as a change of its application. */
@Injectable()
export class AccessKeysService {
  constructor(
    private readonly database: DataSource,
    private readonly transactions: AccountTransactions,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Lists the access keys of the account or of one application. Throws ApplicationNotFound. */
  async list(accountId: string, query: ListQuery, applicationId?: string): Promise<ListEnvelope<AccessKeyRecord>> {
    const { manager } = this.database;
    if (applicationId !== undefined) await applicationOf(manager, accountId, applicationId);
    const parameters = [accountId, applicationId ?? null];
    return pageOfEntities(manager, { ...source, parameters }, query, (keys) =>
      keys.map((key) => accessKeyRecord(key, this.clock.now())),
    );
  }

  async get(accountId: string, id: string, applicationId?: string): Promise<AccessKeyRecord> {
    const key = await keyOfApplication(this.database.manager, accountId, id, applicationId);
    return accessKeyRecord(key, this.clock.now());
  }

  /** Only this response contains the full key. Throws AccessKeyLimitExceeded. */
  async create(context: RequestContext, applicationId: string, wanted: NewAccessKey): Promise<AccessKeyRecord> {
    const { accountId } = context;
    const secret = newSecret(accountId, applicationId, 'ak_2');
    const made = await this.transactions.run(context, async (transaction) => {
      const { manager, now } = transaction;
      const application = await applicationOf(manager, accountId, applicationId);
      if ((await manager.countBy(AccessKey, { applicationId })) >= accessKeysPerApplicationMax)
        throw new AccessKeyLimitExceeded(accessKeysPerApplicationMax);
      const key = manager.create(AccessKey, {
        id: newId(this.clock.now()),
        accountId,
        applicationId,
        name: wanted.name,
        description: wanted.description ?? '',
        hash: hashSecret(secret),
        status: wanted.status === 'INACTIVE' ? 'inactive' : 'active',
        expiresAt: futureDate(wanted.expiration, this.clock.now()),
        expiryAnnounced: false,
        revision: 1,
        createdAt: now,
        updatedAt: now,
        lastUsedAt: null,
      });
      await manager.save(key);
      await storePrincipal(transaction, application);
      const changes = {
        ...(key.status === 'inactive' && { status: 'INACTIVE' }),
        ...(key.expiresAt && { expiration: formatTimestamp(key.expiresAt) }),
      };
      await this.record(transaction, context, { action: 'SYS_533', key, changes });
      return key;
    });
    return accessKeyRecord(made, this.clock.now(), secret);
  }

  async update(context: RequestContext, applicationId: string, body: AccessKeyChange): Promise<AccessKeyRecord> {
    const nowMs = this.clock.now();
    const changed = await this.change(context, applicationId, 'SYS_534', async (transaction, key) => {
      const before = accessKeyRecord(key, nowMs);
      const wanted = changesOf(body, accessKeyChanges, withSentKey(before, body), timesOfUse);
      if (wanted.name !== undefined) key.name = wanted.name;
      if (wanted.description !== undefined) key.description = wanted.description ?? '';
      key.status = changedStatus(key.status, wanted.status);
      if (isOtherTime(wanted.expiration, key.expiresAt)) {
        key.expiresAt = futureDate(wanted.expiration, nowMs);
        key.expiryAnnounced = false;
      }
      key.revision += 1;
      key.updatedAt = transaction.now;
      await transaction.manager.save(key);
      return differences(before, accessKeyRecord(key, nowMs));
    });
    return accessKeyRecord(changed, nowMs);
  }

  async remove(context: RequestContext, applicationId: string): Promise<void> {
    await this.change(context, applicationId, 'SYS_535', async ({ manager }, { id }) => {
      await manager.delete(AccessKey, { id });
      return {};
    });
  }

  /** `work` returns what it changed. */
  private change(
    context: RequestContext,
    applicationId: string,
    action: AuditAction['action'],
    work: (transaction: AccountTransaction, key: AccessKey) => Promise<Record<string, string>>,
  ): Promise<AccessKey> {
    return this.transactions.run(context, async (transaction) => {
      const key = await keyOfApplication(transaction.manager, context.accountId, context.id, applicationId);
      requireIfMatch(context, key);
      const changes = await work(transaction, key);
      await storePrincipal(transaction, await applicationOf(transaction.manager, context.accountId, applicationId));
      await this.record(transaction, context, { action, key, changes });
      return key;
    });
  }

  private async record(
    { record }: AccountTransaction,
    { caller }: RequestContext,
    { action, key, changes = {} }: Pick<AuditAction, 'action' | 'changes'> & { key: AccessKey },
  ): Promise<void> {
    const target = { kind: 'access-key', id: key.id, name: key.name };
    await record(caller, { action, target, changes, data: { application_id: key.applicationId } });
  }
}
