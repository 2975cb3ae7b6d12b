/** API keys as the services behind the gateway know them, for tests without a gateway. */
import type { KeyObject } from 'node:crypto';
import { AccessKeys, type AccessKeyChanged } from '@lanyard/contracts';
import { formatApiKey, hashSecret, identityHeader, newId, newSecret, signIdentity } from '@lanyard/service';
import type { KafkaProducer } from '@lanyard/kafka';
import type { App } from '../lanyard/service-processes.ts';

type Permissions = AccessKeyChanged['permissions'];

/** The headers with which the gateway vouches for a caller. */
export const identityHeaders = (
  { accountId, keyId, permissions }: { accountId: string; keyId: string; permissions: Permissions },
  service: App,
  signingKey: KeyObject,
  nowMs: number = Date.now(),
): Record<string, string> => {
  const identity = { accountId, keyId, groups: [], permissions, tier: 'commercial' as const, requestId: newId() };
  return { [identityHeader]: signIdentity(identity, service, signingKey, nowMs) };
};

export class Customer {
  accountId: string;
  permissions: Permissions;
  keyId = newId();
  secret: string;
  key: string;
  revision = 0;

  constructor(accountId: string = newId(), permissions: Permissions = ['notifications']) {
    this.accountId = accountId;
    this.permissions = permissions;
    this.secret = newSecret(accountId, this.keyId);
    this.key = formatApiKey({ accountId, keyId: this.keyId, secret: this.secret });
  }

  /** Announces the key as the gateway does. */
  announce(producer: KafkaProducer, fields: Partial<AccessKeyChanged> = {}) {
    const { accountId, keyId, permissions } = this;
    return producer.send(AccessKeys, {
      ...{ keyId, accountId, permissions, hash: hashSecret(this.secret), groups: [], tier: 'commercial' as const },
      ...{ status: 'active' as const, revision: ++this.revision, changedAt: new Date().toISOString() },
      ...fields,
    });
  }
}
