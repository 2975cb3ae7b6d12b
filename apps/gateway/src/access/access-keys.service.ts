import {
  CLOCK,
  type Clock,
  dividedChange,
  hashSecret,
  inOrder,
  type ListEnvelope,
  listEnvelope,
  type ListQuery,
  newId,
  newSecret,
  refuseOtherValues,
} from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, In } from 'typeorm';
import { KnownKeys } from '../authentication/known-keys.js';
import { AccessKeyLimitExceeded, AccessKeyNotFound } from '../errors.js';
import { type AccountChange, AccountChanges } from './account-changes.js';
import { AccessKey } from '../db/access-key.entity.js';
import { futureDate } from './api-keys.service.js';
import {
  type AccessKeyChange,
  accessKeyChanges,
  accessKeyRecord,
  type AccessKeyRecord,
  type NewAccessKey,
} from './application-record.js';
import { type By, type AuditAction, differences, mustBeMeant } from './by.js';
import { changedStatus } from './expiration.js';
import { applicationOf, storeHolder } from './membership.js';
import { pageOfIds } from './page-of-ids.js';
import { timesOfUse, withoutSecret } from './sent-back.js';

/** One in use, and one that replaces it. */
const accessKeysPerApplicationMax = 2;

const columns = {
  id: 't.id',
  application_id: 't.application_id',
  status: `(CASE WHEN t.status <> 'active' THEN 'INACTIVE' WHEN t.expires_at <= now() THEN 'EXPIRED' ELSE 'ACTIVE' END)`,
};

const targetOf = ({ id, name }: AccessKey): AuditAction['target'] => ({ kind: 'access-key', id, name });

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
export class AccessKeys {
  constructor(
    private readonly database: DataSource,
    private readonly changes: AccountChanges,
    private readonly known: KnownKeys,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Lists those of the account or of one application. Throws ApplicationNotFound. */
  async list(accountId: string, query: ListQuery, applicationId?: string): Promise<ListEnvelope<AccessKeyRecord>> {
    const { manager } = this.database;
    if (applicationId !== undefined) await applicationOf(manager, accountId, applicationId);
    const source = {
      from: 'access_keys t',
      columns,
      where: 't.account_id = $1 AND ($2::text IS NULL OR t.application_id = $2)',
      parameters: [accountId, applicationId ?? null],
    };
    const { ids, total } = await pageOfIds(manager, source, query);
    const keys = inOrder(ids, await manager.findBy(AccessKey, { id: In(ids) }));
    return listEnvelope(
      keys.map((key) => accessKeyRecord(key, this.clock.now())),
      query,
      total,
    );
  }

  async get(accountId: string, id: string, applicationId?: string): Promise<AccessKeyRecord> {
    const key = await keyOfApplication(this.database.manager, accountId, id, applicationId);
    return accessKeyRecord(key, this.clock.now());
  }

  /** Only this response contains the full key. Throws AccessKeyLimitExceeded. */
  async create(by: By, applicationId: string, wanted: NewAccessKey): Promise<AccessKeyRecord> {
    const { accountId } = by;
    const secret = newSecret(accountId, applicationId, 'ak_2');
    const made = await this.changes.run(by, async (change) => {
      const { manager, now } = change;
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
      await storeHolder(change, application);
      await this.record(change, by, 'SYS_533', key);
      return key;
    });
    this.known.outdate(applicationId);
    return accessKeyRecord(made, this.clock.now(), secret);
  }

  async update(by: By, applicationId: string, id: string, body: AccessKeyChange): Promise<AccessKeyRecord> {
    const { changes: wanted, unchanged } = dividedChange(body, accessKeyChanges);
    const nowMs = this.clock.now();
    const changed = await this.changes.run(by, async (change) => {
      const key = await keyOfApplication(change.manager, by.accountId, id, applicationId);
      mustBeMeant(by, key);
      const before = accessKeyRecord(key, nowMs);
      refuseOtherValues(withoutSecret(unchanged, before), before, timesOfUse);
      if (wanted.name !== undefined) key.name = wanted.name;
      if (wanted.description !== undefined) key.description = wanted.description ?? '';
      key.status = changedStatus(key.status, wanted.status);
      // A record that is sent back unchanged changes nothing, even if the key has expired.
      if (wanted.expiration !== undefined && Date.parse(wanted.expiration ?? '') !== key.expiresAt?.getTime()) {
        key.expiresAt = futureDate(wanted.expiration, nowMs);
        key.expiryAnnounced = false;
      }
      key.revision += 1;
      key.updatedAt = change.now;
      await change.manager.save(key);
      await storeHolder(change, await applicationOf(change.manager, by.accountId, applicationId));
      await this.record(change, by, 'SYS_534', key, differences(before, accessKeyRecord(key, nowMs)));
      return key;
    });
    this.known.outdate(applicationId);
    return accessKeyRecord(changed, nowMs);
  }

  async remove(by: By, applicationId: string, id: string): Promise<void> {
    await this.changes.run(by, async (change) => {
      const key = await keyOfApplication(change.manager, by.accountId, id, applicationId);
      mustBeMeant(by, key);
      await change.manager.delete(AccessKey, { id });
      await storeHolder(change, await applicationOf(change.manager, by.accountId, applicationId));
      await this.record(change, by, 'SYS_535', key);
    });
    this.known.outdate(applicationId);
  }

  private async record(
    { record }: AccountChange,
    { caller }: By,
    action: AuditAction['action'],
    key: AccessKey,
    changes: Record<string, string> = {},
  ): Promise<void> {
    await record(caller, { action, target: targetOf(key), changes, data: { application_id: key.applicationId } });
  }
}
