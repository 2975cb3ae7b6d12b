import { type AccessKeyChanged, allows } from '@lanyard/contracts';
import type { StateReader } from '@lanyard/kafka';
import { fingerprintOf } from '@lanyard/service';

/** What is kept of a key: whether it may read the log, and by which secrets, as fingerprints. */
export interface Reader {
  mayRead: boolean;
  secrets: string[];
}

export const readerOf = ({ status, permissions, hash, previousHashes = [] }: AccessKeyChanged): Reader => ({
  mayRead: status === 'active' && allows(permissions, 'events.read'),
  secrets: [hash, ...previousHashes.map((previous) => previous.hash)].map(fingerprintOf),
});

/** `revoked`: it may not read, or it was deleted. `unproven`: not with this secret, which may be announced yet. */
export type Standing = 'good' | 'unproven' | 'revoked';

/** Whether those who follow the log may go on, as the gateway announces it. */
export class Readers {
  constructor(private readonly keys: Pick<StateReader<AccessKeyChanged, Reader>, 'get' | 'onChange'>) {}

  standing(keyId: string, secret: string | undefined): Standing {
    const reader = this.keys.get(keyId);
    if (!reader) return 'unproven';
    if (!reader.mayRead) return 'revoked';
    return secret === undefined || reader.secrets.includes(secret) ? 'good' : 'unproven';
  }

  /** Something of a key is different now. */
  onChange(listener: (keyId: string) => void): void {
    this.keys.onChange((keyId) => listener(keyId));
  }
}
