import type { AccessKeyChanged } from '@lanyard/contracts';
import type { AccessKey } from '../db/access-key.entity.js';
import type { Account } from '../db/account.entity.js';
import { Application } from '../db/application.entity.js';
import { ApiKey } from '../db/api-key.entity.js';
import { User } from '../db/user.entity.js';
import { rightsOf } from '../permissions.js';

/** What is authenticated, and has its own channel, subscriptions and groups: a key, an application or a user. */
export type Principal = ApiKey | Application | User;

/** Stands for the secret of an application without a usable access key: no secret has this hash. */
const unmatchableHash = '0'.repeat(64);
/** The expiration of an access key without one. */
const never = '9999-12-31T23:59:59Z';

type Proof = Pick<AccessKeyChanged, 'hash' | 'previousHashes' | 'expiresAt'> & { usable: boolean };

const isOver = (at: Date | null, now: Date): boolean => at !== null && at <= now;

const proofOfKey = (key: ApiKey, now: Date): Proof => ({
  usable: key.status === 'active' && !isOver(key.expiresAt, now),
  hash: key.hash,
  ...(key.previousHash !== null &&
    key.previousUntil !== null && {
      previousHashes: [{ hash: key.previousHash, until: key.previousUntil.toISOString() }],
    }),
  ...(key.expiresAt !== null && { expiresAt: key.expiresAt.toISOString() }),
});

const endMs = (key: AccessKey): number => key.expiresAt?.getTime() ?? Infinity;

/** The access key that expires last stands for the newest secret: after it expires, nothing authenticates the application. */
const proofOfApplication = (application: Application, keys: readonly AccessKey[], now: Date): Proof => {
  const usable = keys
    .filter((key) => key.status === 'active' && !isOver(key.expiresAt, now))
    .sort((a, b) => endMs(b) - endMs(a) || (a.id < b.id ? 1 : -1));
  const [last, ...others] = usable;
  return {
    usable: application.status === 'active' && last !== undefined,
    hash: last?.hash ?? unmatchableHash,
    ...(others.length > 0 && {
      previousHashes: others.map((key) => ({ hash: key.hash, until: key.expiresAt?.toISOString() ?? never })),
    }),
    ...(last?.expiresAt && { expiresAt: last.expiresAt.toISOString() }),
  };
};

const proofOf = (principal: Principal, accessKeys: readonly AccessKey[], now: Date): Proof => {
  if (principal instanceof Application) return proofOfApplication(principal, accessKeys, now);
  if (principal instanceof User) return { usable: principal.status === 'active', hash: principal.hash };
  return proofOfKey(principal, now);
};

/** What services with sockets and queues must know about a key or an application. `accessKeys`: of an application. */
export const announcementOf = (
  principal: Principal,
  account: Account,
  accessKeys: readonly AccessKey[],
  now: Date,
): AccessKeyChanged => {
  const { usable, ...proof } = proofOf(principal, accessKeys, now);
  const ownLimit = principal instanceof ApiKey ? principal.deviceGroups : null;
  const { permissions, deviceGroups } = rightsOf(principal.groups, ownLimit);
  return {
    keyId: principal.id,
    accountId: principal.accountId,
    ...proof,
    groups: principal.groups.map((group) => group.id),
    permissions,
    ...(deviceGroups && { deviceGroups: [...deviceGroups] }),
    ...(principal instanceof ApiKey && principal.sourceAddresses && { sourceAddresses: principal.sourceAddresses }),
    tier: account.tier,
    status: usable && account.status === 'active' ? 'active' : 'inactive',
    revision: principal.revision,
    changedAt: principal.updatedAt.toISOString(),
  };
};
