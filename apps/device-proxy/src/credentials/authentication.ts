import { createHash, type X509Certificate } from 'node:crypto';
import type { DeviceCredentialChanged } from '@lanyard/contracts';
import { type Clock, CLOCK, type Logger, LOGGER } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { Sender, ShownCredential } from '../transport/sender.js';
import { isInDates } from './certificate-path.js';
import { CredentialIndex } from './credential-index.js';
import { isUsable, senderOf } from './identify.js';
import { type Reason, Refusals } from './refusals.js';

/** The identity that a client presented, and the credential that had this identity then. */
export interface ShownIdentity {
  identity: string;
  credential?: DeviceCredentialChanged;
}

type Owner = Partial<Pick<Sender, 'accountId' | 'deviceId' | 'endpointName'>>;

/** Identifies devices by what they proved in their handshakes, for both TLS and DTLS. Reports refusals. */
@Injectable()
export class Authentication {
  constructor(
    readonly credentials: CredentialIndex,
    private readonly refusals: Refusals,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  identified(identity: string): ShownIdentity {
    return { identity, credential: this.credentials.identified(identity) };
  }

  /** Undefined for an unknown identity, which fails like a wrong key (RFC 4279 §2), and for a key that cannot be read. */
  keyOf({ credential }: ShownIdentity): Buffer | undefined {
    if (!credential) return undefined;
    try {
      return this.credentials.keyOf(credential);
    } catch (error) {
      const { credentialId } = credential;
      this.logger.error({ err: error, credentialId }, 'key not readable: was it sealed with another ENCRYPTION_KEY?');
      return undefined;
    }
  }

  /** The sender that has the private key of this SubjectPublicKeyInfo (DER); undefined if no credential permits it. */
  withPublicKey(publicKey: Buffer, address: string): Sender | undefined {
    const credential = this.credentials.withPublicKey(publicKey);
    if (credential) return this.withKey(credential);
    return this.refuse('unknown-public-key', address, createHash('sha256').update(publicKey).digest('hex'));
  }

  /** The sender that has the key of the credential; undefined if the credential is no longer valid. */
  withKey(credential: DeviceCredentialChanged): Sender | undefined {
    const shown = { id: credential.credentialId };
    // The credential may have been deleted during the handshake.
    if (!this.credentials.isValid(shown)) return undefined;
    return senderOf(credential, shown);
  }

  /**
   * The sender that has the private key of the first certificate and has sent the other certificates with it. If no
   * credential permits it, the refusal is reported and the result is undefined.
   */
  withCertificate(chain: readonly X509Certificate[], address: string): Sender | undefined {
    const { credentials, clock } = this;
    const [x509] = chain;
    if (!x509) return this.refuse('no-certificate', address);
    const recognised = credentials.certified(chain, clock.now());
    if (!recognised) return this.refuse('unknown-certificate', address, x509.subject);
    const { credential, serials, issuer } = recognised;
    const shown = { id: credential.credentialId, ...(serials.length > 0 && { serials }) };
    const sender = senderOf(credential, shown, x509);
    if (!sender) return this.refuse('unknown-certificate', address, x509.subject);
    if (!isUsable(x509, clock.now())) return this.refuse('expired-certificate', address, x509.subject, sender);
    if (issuer && !isInDates(issuer, clock.now()))
      return this.refuse('expired-certificate', address, issuer.subject, sender);
    if (!credentials.isValid(shown)) return this.refuse('revoked-certificate', address, x509.subject, sender);
    return sender;
  }

  /** Identifies a peer that authenticated before, if its credential is still valid. */
  reidentify(shown: ShownCredential, x509?: X509Certificate): Sender | undefined {
    const credential = this.credentials.isValid(shown) ? this.credentials.withId(shown.id) : undefined;
    return credential && senderOf(credential, shown, x509);
  }

  /** A handshake ended without a connection. `isWrongKey`: the peer does not have the key of its identity. */
  failed(shown: ShownIdentity | undefined, isWrongKey: boolean, address: string, detail: string): void {
    if (!shown) return this.refuse('handshake-failed', address, detail);
    const { identity, credential } = shown;
    if (!credential) return this.refuse('unknown-identity', address, identity);
    this.refuse(isWrongKey ? 'wrong-key' : 'handshake-failed', address, identity, credential);
  }

  /** `owner`: whose credential was refused. */
  refuse(reason: Reason, address: string, shown?: string, owner: Owner = {}): undefined {
    const { accountId, deviceId, endpointName } = owner;
    this.refusals.report(reason, { address, shown, accountId, deviceId, endpointName });
    return undefined;
  }
}
