import { type AccessKeyChanged, notificationsPermission } from '@lanyard/contracts';
import type { StateReader } from '@lanyard/kafka';
import { fingerprintOf, parseApiKey, secretMatches } from '@lanyard/service';
import { resetKeyWaitMs, unknownKeyWaitMs } from './limits.js';
import type { KeySeen } from './standing.js';

export interface KnownKey {
  keyId: string;
  accountId: string;
}

/** What is kept of a key. `mayConnect`: it is active, and its groups let it have a channel. */
export interface KeyRecord extends Pick<AccessKeyChanged, 'accountId' | 'hash' | 'status'>, KeySeen {}

export const keyRecord = ({ accountId, hash, status, permissions, revision }: AccessKeyChanged): KeyRecord => ({
  accountId,
  hash,
  status,
  revision,
  fingerprint: fingerprintOf(hash),
  mayConnect: status === 'active' && permissions.includes(notificationsPermission),
});

/** API keys as the gateway announces them; sockets come past the gateway's check. */
export class KeyDirectory {
  constructor(private readonly keys: StateReader<AccessKeyChanged, KeyRecord>) {}

  /** The key that this text proves, if any. A key that is not known yet, or was just reset, may still be announced. */
  async verify(text: string): Promise<KnownKey | undefined> {
    const given = parseApiKey(text);
    if (!given) return undefined;
    const proves = ({ hash, mayConnect }: KeyRecord): boolean => mayConnect && secretMatches(hash, given.secret);
    const known = this.keys.get(given.keyId);
    if (known?.mayConnect === false) return undefined;
    const record = await this.keys.waitFor(given.keyId, known ? resetKeyWaitMs : unknownKeyWaitMs, proves);
    if (!record || record.accountId !== given.accountId) return undefined;
    return { keyId: given.keyId, accountId: record.accountId };
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
    const { revision, fingerprint, mayConnect } = record;
    return { revision, fingerprint, mayConnect };
  }

  /** Waits a little for the announcement of a secret that the gateway has accepted. */
  async hearOf(keyId: string, secret: string): Promise<void> {
    await this.keys.waitFor(keyId, unknownKeyWaitMs, ({ fingerprint }) => fingerprint === secret);
  }

  /** Whoever holds the key's secret may not any more: it was deleted, switched off, reset, or left its groups. */
  onRevoked(listener: (keyId: string) => void): void {
    this.keys.onChange((keyId, now, before) => {
      if (!before) return;
      if (!now?.mayConnect || now.hash !== before.hash) listener(keyId);
    });
  }

  /** Whatever it is. Answers a function that ends it. */
  onChange(listener: (keyId: string) => void): () => void {
    return this.keys.onChange((keyId) => listener(keyId));
  }
}
