import { type AccessKeyChanged, AccessKeys, allows, type DeviceScope } from '@lanyard/contracts';
import { KafkaConnection, StateReader } from '@lanyard/kafka';
import { fingerprintOf } from '@lanyard/service';
import { Injectable } from '@nestjs/common';

interface Key {
  mayRead: boolean;
  /** Fingerprints of its secrets. */
  secrets: string[];
  scope: DeviceScope;
}

const project = ({ status, permissions, hash, previousHashes = [], deviceGroups }: AccessKeyChanged): Key => ({
  mayRead: status === 'active' && allows(permissions, 'events.read'),
  secrets: [hash, ...previousHashes.map((previous) => previous.hash)].map(fingerprintOf),
  scope: deviceGroups,
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

  /** The device groups that the key is limited to, as announced. */
  scopeOf(keyId: string): DeviceScope {
    return this.get(keyId)?.scope;
  }

  /** `secret`: a fingerprint; undefined if the caller presented no secret. */
  statusOf(keyId: string, secret: string | undefined): KeyStatus {
    const key = this.get(keyId);
    if (!key) return 'unproven';
    if (!key.mayRead) return 'revoked';
    return secret === undefined || key.secrets.includes(secret) ? 'valid' : 'unproven';
  }
}
