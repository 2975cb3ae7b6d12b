import type { AccessKeyChanged } from '@lanyard/contracts';
import type { StateReader } from '@lanyard/kafka';
import { parseApiKey, secretMatches } from '@lanyard/service';
import { resetKeyWaitMs, unknownKeyWaitMs } from './limits.js';

export interface KnownKey {
  keyId: string;
  accountId: string;
}

/** What is kept of a key. */
export type KeyRecord = Pick<AccessKeyChanged, 'accountId' | 'hash' | 'status'>;

export const keyRecord = ({ accountId, hash, status }: AccessKeyChanged): KeyRecord => ({ accountId, hash, status });

/** API keys as the gateway announces them; sockets come past the gateway's check. */
export class KeyDirectory {
  constructor(private readonly keys: StateReader<AccessKeyChanged, KeyRecord>) {}

  /** The key that this text proves, if any. A key that is not known yet, or was just reset, may still be announced. */
  async verify(text: string): Promise<KnownKey | undefined> {
    const given = parseApiKey(text);
    if (!given) return undefined;
    const proves = ({ hash, status }: KeyRecord): boolean => status === 'active' && secretMatches(hash, given.secret);
    const known = this.keys.get(given.keyId);
    if (known && known.status !== 'active') return undefined;
    const record = await this.keys.waitFor(given.keyId, known ? resetKeyWaitMs : unknownKeyWaitMs, proves);
    if (!record || record.accountId !== given.accountId) return undefined;
    return { keyId: given.keyId, accountId: record.accountId };
  }

  isDeleted(keyId: string): boolean {
    return this.keys.get(keyId)?.status === 'deleted';
  }

  /** Whoever holds the key's secret does not any more: it was deleted, switched off, or reset. */
  onRevoked(listener: (keyId: string) => void): void {
    this.keys.onChange((keyId, now, before) => {
      if (!before) return;
      if (now?.status !== 'active' || now.hash !== before.hash) listener(keyId);
    });
  }

  onDeleted(listener: (keyId: string) => void): void {
    this.keys.onChange((keyId, now) => {
      if (!now || now.status === 'deleted') listener(keyId);
    });
  }
}
