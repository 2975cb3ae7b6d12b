import { type AccessKeyChanged, allows, notificationsPermission } from '@lanyard/contracts';
import type { StateReader } from '@lanyard/kafka';
import { type Clock, fingerprintOf, parseApiKey, secretMatches } from '@lanyard/service';
import { resetKeyWaitMs, unknownKeyWaitMs } from '../limits.js';
import type { KeySeen } from '../db/standing.js';

export interface KnownKey {
  keyId: string;
  accountId: string;
  /** Fingerprint of the secret that proved it. */
  secret: string;
}

/** What is kept of a key. `mayConnect`: it is active, and its groups let it have a channel. */
export interface KeyRecord extends Pick<AccessKeyChanged, 'accountId' | 'status'>, KeySeen {
  /** Hashes of what proves the key, the newest first; `untilMs`: of a secret that was rotated. */
  secrets: { hash: string; untilMs: number }[];
}

export const keyRecord = (key: AccessKeyChanged): KeyRecord => {
  const { accountId, hash, previousHashes = [], expiresAt, status, permissions, revision } = key;
  const endMs = expiresAt === undefined ? Infinity : Date.parse(expiresAt);
  const previous = previousHashes.map(({ hash, until }) => ({ hash, untilMs: Math.min(endMs, Date.parse(until)) }));
  return {
    accountId,
    status,
    revision,
    secrets: [{ hash, untilMs: endMs }, ...previous],
    fingerprint: fingerprintOf(hash),
    ...(previous.length > 0 && { earlier: previous.map(({ hash }) => fingerprintOf(hash)) }),
    mayConnect: status === 'active' && allows(permissions, notificationsPermission),
  };
};

const fingerprintsOf = ({ fingerprint, earlier = [] }: KeySeen): string[] => [fingerprint, ...earlier];

/** API keys as the gateway announces them; sockets come past the gateway's check. */
export class KeyDirectory {
  constructor(
    private readonly keys: StateReader<AccessKeyChanged, KeyRecord>,
    private readonly clock: Clock,
  ) {}

  /** The key that this text proves, if any. A key that is not known yet, or was just reset, may still be announced. */
  async verify(text: string): Promise<KnownKey | undefined> {
    const given = parseApiKey(text);
    if (!given) return undefined;
    const proof = ({ secrets }: KeyRecord): string | undefined =>
      secrets.find(({ hash, untilMs }) => this.clock.now() < untilMs && secretMatches(hash, given.secret))?.hash;
    const proves = (record: KeyRecord): boolean => record.mayConnect && proof(record) !== undefined;
    const known = this.keys.get(given.keyId);
    if (known?.mayConnect === false) return undefined;
    const record = await this.keys.waitFor(given.keyId, known ? resetKeyWaitMs : unknownKeyWaitMs, proves);
    const hash = record && proof(record);
    if (!record || !hash || record.accountId !== given.accountId) return undefined;
    return { keyId: given.keyId, accountId: record.accountId, secret: fingerprintOf(hash) };
  }

  isDeleted(keyId: string): boolean {
    return this.keys.get(keyId)?.status === 'deleted';
  }

  /** Of a key that was known: it is deleted, or its announcements are. */
  isGone(keyId: string): boolean {
    return !this.keys.has(keyId) || this.isDeleted(keyId);
  }

  /** The key as it is known here now. */
  seen(keyId: string): KeySeen | undefined {
    const record = this.keys.get(keyId);
    if (!record) return undefined;
    const { revision, fingerprint, earlier, mayConnect } = record;
    return { revision, fingerprint, mayConnect, ...(earlier && { earlier }) };
  }

  /** Waits a little for the announcement of a secret that the gateway has accepted. */
  async hearOf(keyId: string, secret: string): Promise<void> {
    await this.keys.waitFor(keyId, unknownKeyWaitMs, (record) => fingerprintsOf(record).includes(secret));
  }

  /**
   * Who holds a secret of the key may not any more: the key was deleted, switched off, reset, or left its groups, or
   * the overlap of a rotation is over. `proves`: whether a secret, by its fingerprint, still does.
   */
  onRevoked(listener: (keyId: string, proves: (secret: string) => boolean) => void): void {
    this.keys.onChange((keyId, now, before) => {
      if (!before) return;
      const left = new Set(now?.mayConnect ? fingerprintsOf(now) : []);
      if (fingerprintsOf(before).some((secret) => !left.has(secret))) listener(keyId, (secret) => left.has(secret));
    });
  }

  /** Whatever it is. Answers a function that ends it. */
  onChange(listener: (keyId: string) => void): () => void {
    return this.keys.onChange((keyId) => listener(keyId));
  }
}
