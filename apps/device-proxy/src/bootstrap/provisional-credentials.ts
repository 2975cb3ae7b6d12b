import { Injectable } from '@nestjs/common';
import { CredentialIndex } from '../credentials/credential-index.js';
import { DeviceCredentialsReader } from '../state/device-credentials.reader.js';
import { RetryLater } from '../transport/retry-later.js';
import type { Sender } from '../transport/sender.js';
import type { PreSharedKey } from './account-instances.js';
import { BootstrapFacts } from './bootstrap-facts.js';
import { credentialWithinMs } from './limits.js';

/** Credentials that the registry creates for bootstraps; each has the id of its bootstrap. */
@Injectable()
export class ProvisionalCredentials {
  constructor(
    private readonly reader: DeviceCredentialsReader,
    private readonly credentials: CredentialIndex,
    private readonly facts: BootstrapFacts,
  ) {}

  /** The credential of a bootstrap once the registry has stored it. Throws RetryLater if it does not within a few seconds. */
  async wait(bootstrapId: string): Promise<PreSharedKey> {
    const credential = await this.reader.waitFor(bootstrapId, credentialWithinMs);
    if (!credential) throw new RetryLater('the registry has not created the credential yet');
    return { identity: credential.identity ?? '', key: this.credentials.keyOf(credential) };
  }

  /**
   * The device registers with the credential: its bootstrap has succeeded, even if that was not announced because a replica
   * crashed or an answer was lost. Resolves when Kafka has the fact.
   */
  async confirm({ credential: shown }: Sender): Promise<void> {
    const credential = shown && this.reader.get(shown.id);
    if (!credential?.provisional || credential.deviceId === undefined) return;
    const { credentialId: bootstrapId, deviceId, accountId } = credential;
    await this.facts.announceSuccess({ bootstrapId, deviceId, accountId });
  }
}
