import { isDeepStrictEqual } from 'node:util';
import {
  changesOf,
  CLOCK,
  type Clock,
  formatTimestamp,
  hashSecret,
  type Identity,
  newId,
  newSecret,
  type RequestContext,
} from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ApiKey } from '../db/api-key.entity.js';
import {
  AccountLimitExceeded,
  OnlyAdministratorsChangeExpirations,
  OnlyAdministratorsChangeGroups,
  OnlyAdministratorsChangeLimits,
} from '../errors.js';
import { admin } from '../permissions.js';
import { AccountTransactions } from './account-transactions.js';
import { ApiKeyChange, apiKeyChanges, apiKeyRecord, ApiKeyRecord, NewApiKey, Rotation } from './api-key-record.js';
import { type AuditAction, differences } from './audit-action.js';
import { changedStatus, futureDate, isOtherTime } from './expiration.js';
import { PrincipalsService } from './principals.service.js';
import { groupsOf, groupsOfNew, isInExactly, keyOf, storePrincipal } from './membership.js';
import { newKey } from './new-account.js';
import { timesOfUse, withSentKey } from './sent-back.js';

/** Disabling a key has its own code, because operators look for it after an incident. */
const actionOf = (changes: Record<string, string>): AuditAction['action'] => {
  if (changes['status'] === undefined) return 'SYS_511';
  return changes['status'] === 'INACTIVE' ? 'SYS_512' : 'SYS_513';
};

/** What a new key may do, and what limits it. */
const grantOf = ({ groups, status, deviceGroups, sourceAddresses, expiresAt }: ApiKey): Record<string, string> => ({
  groups: groups.map((group) => group.id).join(','),
  ...(status === 'inactive' && { status: 'INACTIVE' }),
  ...(deviceGroups && { device_groups: deviceGroups.join(',') }),
  ...(sourceAddresses && { source_addresses: sourceAddresses.join(',') }),
  ...(expiresAt && { expiration: formatTimestamp(expiresAt) }),
});

/** Creates, shows, changes, resets and deletes the keys of an account. The controller checks permissions. */
@Injectable()
export class ApiKeysService extends PrincipalsService<ApiKey, ApiKeyRecord> {
  constructor(
    database: DataSource,
    transactions: AccountTransactions,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    super(database, transactions, {
      object: 'api-key',
      entity: ApiKey,
      table: 'api_keys',
      idsInGroup: 'SELECT key_id FROM api_key_groups WHERE group_id = $2',
      columns: { key: `('ak_1' || t.account_id || t.id)` },
      find: keyOf,
    });
  }

  /** Only this response and that of reset contain the full key. */
  async create(context: RequestContext, wanted: NewApiKey): Promise<ApiKeyRecord> {
    const { accountId, caller } = context;
    const id = newId(this.clock.now());
    const secret = newSecret(accountId, id);
    const key = await this.transactions.run(context, async ({ manager, account, now, announce, record }) => {
      await this.refuseBeyond(manager, accountId, account.limits.api_keys);
      const made = newKey(manager, {
        id,
        accountId,
        name: wanted.name,
        owner: wanted.owner ?? null,
        hash: hashSecret(secret),
        status: wanted.status === 'INACTIVE' ? 'inactive' : 'active',
        expiresAt: futureDate(wanted.expiration, this.clock.now()),
        deviceGroups: wanted.device_groups ?? null,
        sourceAddresses: wanted.source_addresses ?? null,
        createdAt: now,
        groups: await groupsOfNew(manager, accountId, wanted.groups),
      });
      await manager.save(made);
      await announce(made);
      await record(caller, { action: 'SYS_510', target: this.targetOf(made), changes: grantOf(made) });
      return made;
    });
    return this.record(key, secret);
  }

  async update(context: RequestContext, wanted: ApiKeyChange): Promise<ApiKeyRecord> {
    const key = await this.change(context, async (transaction, found) => {
      const changes = await this.apply(transaction.manager, context, found, wanted);
      await storePrincipal(transaction, found);
      return { action: actionOf(changes), changes };
    });
    return this.record(key);
  }

  /** The id stays, so the channel and the subscriptions stay (spec §5 rule 8). */
  async resetSecret(context: RequestContext, wanted: ApiKeyChange): Promise<ApiKeyRecord> {
    const secret = newSecret(context.accountId, context.id);
    const key = await this.change(context, async (transaction, found) => {
      const changes = await this.apply(transaction.manager, context, found, wanted);
      found.hash = hashSecret(secret);
      found.previousHash = null;
      found.previousUntil = null;
      await storePrincipal(transaction, found);
      return { action: 'SYS_514', changes };
    });
    return this.record(key, secret);
  }

  /** Adds a secret beside the current one; an older one becomes invalid at once, so there are never more than two. */
  async rotate(context: RequestContext, { overlap_seconds }: Rotation): Promise<ApiKeyRecord> {
    const secret = newSecret(context.accountId, context.id);
    const key = await this.change(context, async (transaction, found) => {
      found.previousHash = found.hash;
      found.previousUntil = new Date(transaction.now.getTime() + overlap_seconds * 1_000);
      found.hash = hashSecret(secret);
      await storePrincipal(transaction, found);
      return { action: 'SYS_515', data: { overlap_seconds: String(overlap_seconds) } };
    });
    return this.record(key, secret);
  }

  async endOverlap(context: RequestContext): Promise<void> {
    await this.change(context, async (transaction, found) => {
      if (found.previousHash === null) return undefined;
      found.previousHash = null;
      found.previousUntil = null;
      await storePrincipal(transaction, found);
      return { action: 'SYS_516' };
    });
  }

  remove(context: RequestContext): Promise<void> {
    return this.removeWith(context, 'SYS_517');
  }

  protected record(key: ApiKey, secret?: string): ApiKeyRecord {
    return apiKeyRecord(key, this.clock.now(), secret);
  }

  private async refuseBeyond(manager: EntityManager, accountId: string, max: number | undefined): Promise<void> {
    if (max === undefined) return;
    if ((await manager.countBy(ApiKey, { accountId })) >= max) throw new AccountLimitExceeded('API keys', max);
  }

  private async apply(
    manager: EntityManager,
    { caller, accountId }: RequestContext,
    key: ApiKey,
    body: ApiKeyChange,
  ): Promise<Record<string, string>> {
    const before = this.record(key);
    const wanted = changesOf(body, apiKeyChanges, withSentKey(before, body), timesOfUse);
    if (wanted.name !== undefined) key.name = wanted.name;
    if (wanted.owner !== undefined) key.owner = wanted.owner;
    key.status = changedStatus(key.status, wanted.status);
    if (isOtherTime(wanted.expiration, key.expiresAt)) {
      // A key that could postpone its own expiration would never expire.
      if (!caller.permissions.includes(admin)) throw new OnlyAdministratorsChangeExpirations();
      key.expiresAt = futureDate(wanted.expiration, this.clock.now());
      key.expiryAnnounced = false;
    }
    if (wanted.groups !== undefined && !isInExactly(key, wanted.groups)) {
      if (!caller.permissions.includes(admin)) throw new OnlyAdministratorsChangeGroups();
      key.groups = await groupsOf(manager, accountId, wanted.groups);
    }
    this.applyLimits(caller, key, wanted);
    return differences(before, this.record(key));
  }

  private applyLimits(caller: Identity, key: ApiKey, wanted: ApiKeyChange): void {
    const { device_groups: deviceGroups = key.deviceGroups, source_addresses: networks = key.sourceAddresses } = wanted;
    if (isDeepStrictEqual([deviceGroups, networks], [key.deviceGroups, key.sourceAddresses])) return;
    if (!caller.permissions.includes(admin)) throw new OnlyAdministratorsChangeLimits();
    key.deviceGroups = deviceGroups;
    key.sourceAddresses = networks;
  }
}
