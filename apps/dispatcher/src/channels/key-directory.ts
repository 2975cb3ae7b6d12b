import { type AccessKeyChanged, notificationsPermission } from '@lanyard/contracts';
import type { StateReader } from '@lanyard/kafka';
import { parseApiKey, secretMatches } from '@lanyard/service';
import { resetKeyWaitMs, unknownKeyWaitMs } from './limits.js';

export interface KnownKey {
  keyId: string;
  accountId: string;
}

/** What is kept of a key. */
export interface KeyRecord extends Pick<AccessKeyChanged, 'accountId' | 'hash' | 'status'> {
  /** It is active, and its groups let it have a channel. */
  mayConnect: boolean;
}

export const keyRecord = ({ accountId, hash, status, permissions }: AccessKeyChanged): KeyRecord => ({
  accountId,
  hash,
  status,
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

  /** Whoever holds the key's secret may not any more: it was deleted, switched off, reset, or left its groups. */
  onRevoked(listener: (keyId: string) => void): void {
    this.keys.onChange((keyId, now, before) => {
      if (!before) return;
      if (!now?.mayConnect || now.hash !== before.hash) listener(keyId);
    });
  }

  onDeleted(listener: (keyId: string) => void): void {
    this.keys.onChange((keyId, now) => {
      if (!now || now.status === 'deleted') listener(keyId);
    });
  }
}
