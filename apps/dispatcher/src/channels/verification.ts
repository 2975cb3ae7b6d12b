import { type Clock, type Identity, KeyedSets, newId } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { AddressGuard } from '../callback-client/address-guard.js';
import { failureReasonOf } from '../callback-client/callback-exchange.js';
import { CallbackSender, type CallbackTarget } from '../callback-client/callback-sender.js';
import { type Signing, signatureHeaders } from '../callback-client/signature.js';
import { CallbackNotVerified, TooManyVerifications, VerifiersBusy } from '../errors.js';
import { verificationsMax, verificationsOfAccountMax } from '../limits.js';
import { SharedClock } from '../queue/shared-clock.js';
import { checkCallback } from './callback-rules.js';

const body = Buffer.from('{}');

/** The key and the secret whose URL is verified. */
type Registrant = Pick<Identity, 'keyId' | 'accountId' | 'secretFingerprint'>;

/** Slots are counted by secret, so that the holder of an old secret of a key does not block the holder of the new one. */
const secretOf = ({ keyId, secretFingerprint = '' }: Registrant): string => `${keyId} ${secretFingerprint}`;

/** Slots for verifications, each of which may take 20 s and a connection: one for each secret of a key, few for an account. */
export class VerificationSlots {
  /** By account. */
  private readonly secretsOf = new KeyedSets<string, string>();
  private reserved = 0;

  /** Throws when there is no free slot. */
  reserve(registrant: Registrant): void {
    const { accountId } = registrant;
    const secret = secretOf(registrant);
    const secrets = this.secretsOf.get(accountId);
    if (secrets.has(secret)) throw new TooManyVerifications('key');
    if (secrets.size >= verificationsOfAccountMax) throw new TooManyVerifications('account');
    if (this.reserved >= verificationsMax) throw new VerifiersBusy();
    this.secretsOf.add(accountId, secret);
    this.reserved++;
  }

  /** Frees the reserved slot. */
  free(registrant: Registrant): void {
    if (this.secretsOf.delete(registrant.accountId, secretOf(registrant))) this.reserved--;
  }
}

/** Checks callback targets, and verifies that their URLs accept messages (spec §4.5 rule 1). */
@Injectable()
export class Verification {
  private readonly slots = new VerificationSlots();

  constructor(
    private readonly sender: CallbackSender,
    private readonly guard: AddressGuard,
    @Inject(SharedClock) private readonly clock: Clock,
  ) {}

  /** Throws CallbackRefused, saying what is wrong. */
  check(target: CallbackTarget): void {
    checkCallback(target, this.guard);
  }

  /** Throws CallbackNotVerified, or that there is no free slot. */
  async verify(registrant: Registrant, target: CallbackTarget, signing: Signing | undefined): Promise<void> {
    const why = await this.test(registrant, target, signing);
    if (why !== undefined) throw new CallbackNotVerified(why);
  }

  /** Why the URL did not accept an empty message; undefined: it did. Throws when there is no free slot. */
  async test(
    registrant: Registrant,
    target: CallbackTarget,
    signing: Signing | undefined,
  ): Promise<string | undefined> {
    this.slots.reserve(registrant);
    try {
      const headers = signing && signatureHeaders(signing, `msg_${newId()}`, this.clock.now(), body);
      // A connection of its own: the channel may still be sending to its previous URL.
      const connectionId = `verification ${newId()}`;
      const sent = await this.sender.send(connectionId, target, { body, ...(headers && { headers }) });
      this.sender.forget(connectionId);
      return sent.ok ? undefined : failureReasonOf(sent);
    } finally {
      this.slots.free(registrant);
    }
  }
}
