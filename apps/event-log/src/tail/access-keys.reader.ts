import { type AccessKeyChanged, AccessKeys, allows } from '@lanyard/contracts';
import { KafkaConnection, StateReader } from '@lanyard/kafka';
import { fingerprintOf } from '@lanyard/service';
import { Injectable } from '@nestjs/common';

interface Key {
  mayRead: boolean;
  /** Fingerprints of its secrets. */
  secrets: string[];
}

const project = ({ status, permissions, hash, previousHashes = [] }: AccessKeyChanged): Key => ({
  mayRead: status === 'active' && allows(permissions, 'events.read'),
  secrets: [hash, ...previousHashes.map((previous) => previous.hash)].map(fingerprintOf),
});

/**
 * `revoked`: the key may not read the log, or was deleted. `unproven`: the key or this secret of it is unknown, and may
 * still be announced.
 */
export type KeyStatus = 'valid' | 'unproven' | 'revoked';

/** This replica's copy of the API keys that the gateway announces: which of them may read the log. */
@Injectable()
export class AccessKeysReader extends StateReader<AccessKeyChanged, Key> {
  constructor(kafka: KafkaConnection) {
    super(kafka, AccessKeys, { project });
  }

  /** `secret`: a fingerprint; undefined if the caller presented no secret. */
  statusOf(keyId: string, secret: string | undefined): KeyStatus {
    const key = this.get(keyId);
    if (!key) return 'unproven';
    if (!key.mayRead) return 'revoked';
    return secret === undefined || key.secrets.includes(secret) ? 'valid' : 'unproven';
  }
}
