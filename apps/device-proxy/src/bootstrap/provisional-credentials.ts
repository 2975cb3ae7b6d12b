import { Injectable } from '@nestjs/common';
import { CredentialIndex } from '../credentials/credential-index.js';
import { DeviceCredentialsReader } from '../state/device-credentials.reader.js';
import { RetryLater } from '../transport/retry-later.js';
import type { Sender } from '../transport/sender.js';
import type { AccountCredential } from './account-instances.js';
import { BootstrapFacts } from './bootstrap-facts.js';
import { credentialWithinMs } from './limits.js';

/** Credentials that the registry stores for bootstraps; each has the id of its bootstrap. */
@Injectable()
export class ProvisionalCredentials {
  constructor(
    private readonly reader: DeviceCredentialsReader,
    private readonly credentials: CredentialIndex,
    private readonly facts: BootstrapFacts,
  ) {}

  /**
   * Resolves with what the device gets, once the registry has stored the credential of its bootstrap: the pair that was created
   * here, or the pre-shared key of the registry. Throws RetryLater if the registry does not store it within a few seconds.
   */
  async wait(bootstrapId: string, pair: AccountCredential | undefined): Promise<AccountCredential> {
    const credential = await this.reader.waitFor(bootstrapId, credentialWithinMs);
    if (!credential) throw new RetryLater('the registry has not stored the credential yet');
    if (pair) return pair;
    const publicKeyOrIdentity = Buffer.from(credential.identity ?? '');
    return { publicKeyOrIdentity, serverPublicKey: Buffer.alloc(0), secretKey: this.credentials.keyOf(credential) };
  }

  /**
   * The device registers with the credential, so its bootstrap has succeeded, even if that was not announced because a replica
   * crashed or an answer was lost. Resolves when Kafka has the fact.
   */
  async confirm({ credential: shown }: Sender): Promise<void> {
    const credential = shown && this.reader.get(shown.id);
    if (!credential?.provisional || credential.deviceId === undefined) return;
    const { credentialId: bootstrapId, deviceId, accountId } = credential;
    await this.facts.announceSuccess({ bootstrapId, deviceId, accountId });
  }
}
