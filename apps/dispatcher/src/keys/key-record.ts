import { type AccessKeyChanged, allows, notificationsPermission } from '@lanyard/contracts';
import { fingerprintOf } from '@lanyard/service';
import type { KeySeen } from '../db/channel-health.js';

/** The stored fields of a key. `mayConnect`: it is active, and its groups let it have a channel. */
export interface KeyRecord
  extends Pick<AccessKeyChanged, 'accountId' | 'status' | 'deviceGroups' | 'sourceAddresses'>, KeySeen {
  /** Hashes of what proves the key, the newest first; `untilMs`: when a secret that was rotated expires. */
  secrets: { hash: string; untilMs: number }[];
  changedAtMs: number;
}

export const keyRecord = (key: AccessKeyChanged): KeyRecord => {
  const { accountId, hash, previousHashes = [], expiresAt, status, permissions, revision } = key;
  const { deviceGroups, sourceAddresses, changedAt } = key;
  const endMs = expiresAt === undefined ? Infinity : Date.parse(expiresAt);
  const previous = previousHashes.map(({ hash, until }) => ({ hash, untilMs: Math.min(endMs, Date.parse(until)) }));
  return {
    accountId,
    status,
    revision,
    secrets: [{ hash, untilMs: endMs }, ...previous],
    fingerprint: fingerprintOf(hash),
    ...(previous.length > 0 && { earlier: previous.map(({ hash }) => fingerprintOf(hash)) }),
    ...(deviceGroups && { deviceGroups }),
    ...(sourceAddresses && { sourceAddresses }),
    mayConnect: status === 'active' && allows(permissions, notificationsPermission),
    changedAtMs: Date.parse(changedAt),
  };
};
