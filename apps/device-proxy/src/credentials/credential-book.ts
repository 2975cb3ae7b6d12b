import { X509Certificate } from 'node:crypto';
import type { DeviceCredentialChanged } from '@lanyard/contracts';
import type { StateReader } from '@lanyard/kafka';
import { type EncryptionKeys, open } from '@lanyard/service';
import { Shelf } from './shelf.js';

/** An issuer that an account trusts, ready to verify with. */
interface Authority {
  credential: DeviceCredentialChanged;
  x509: X509Certificate;
}

const newest = (found: readonly DeviceCredentialChanged[]): DeviceCredentialChanged | undefined =>
  found.reduce<DeviceCredentialChanged | undefined>(
    (best, one) => (best && best.changedAt > one.changedAt ? best : one),
    undefined,
  );

/** Called when what somebody is connected with is not valid any more. */
export type Withdrawn = (credentialId: string) => void;

/**
 * This replica's copy of all credentials, found by what a device shows. A handshake cannot wait: nothing is looked up
 * elsewhere. Keys stay sealed until one is needed.
 */
export class CredentialBook {
  private readonly byIdentity = new Shelf<DeviceCredentialChanged>();
  private readonly byFingerprint = new Shelf<DeviceCredentialChanged>();
  /** By subject: two issuers may have the same. */
  private readonly authorities = new Shelf<Authority>();
  private readonly withdrawn: Withdrawn[] = [];

  constructor(
    private readonly reader: Pick<StateReader<DeviceCredentialChanged>, 'onChange' | 'has'>,
    private readonly encryptionKey: EncryptionKeys,
  ) {
    reader.onChange((_id, credential, previous) => this.changed(credential, previous));
  }

  onWithdrawn(listener: Withdrawn): void {
    this.withdrawn.push(listener);
  }

  isValid(credentialId: string): boolean {
    return this.reader.has(credentialId);
  }

  identified(identity: string): DeviceCredentialChanged | undefined {
    return newest(this.byIdentity.at(identity));
  }

  /** Throws when it was sealed with another ENCRYPTION_KEY. */
  keyOf({ sealedKey = '' }: DeviceCredentialChanged): Buffer {
    return Buffer.from(open(this.encryptionKey, sealedKey), 'hex');
  }

  /** Of the certificate itself, or of the trusted issuer that signed it. */
  certified(x509: X509Certificate): DeviceCredentialChanged | undefined {
    const own = newest(this.byFingerprint.at(x509.fingerprint256.replaceAll(':', '').toLowerCase()));
    if (own) return own;
    const signs = ({ x509: issuer }: Authority): boolean => x509.checkIssued(issuer) && x509.verify(issuer.publicKey);
    return newest(
      this.authorities
        .at(x509.issuer)
        .filter(signs)
        .map(({ credential }) => credential),
    );
  }

  private changed(credential?: DeviceCredentialChanged, previous?: DeviceCredentialChanged): void {
    if (previous) this.remove(previous);
    if (credential) this.add(credential);
    else if (previous) for (const listener of this.withdrawn) listener(previous.credentialId);
  }

  private add(credential: DeviceCredentialChanged): void {
    const { credentialId, identity, fingerprint, certificate } = credential;
    if (identity !== undefined) this.byIdentity.put(identity, credentialId, credential);
    if (fingerprint !== undefined) this.byFingerprint.put(fingerprint, credentialId, credential);
    if (certificate === undefined) return;
    const x509 = new X509Certificate(certificate);
    this.authorities.put(x509.subject, credentialId, { credential, x509 });
  }

  private remove({ credentialId, identity, fingerprint, certificate }: DeviceCredentialChanged): void {
    if (identity !== undefined) this.byIdentity.take(identity, credentialId);
    if (fingerprint !== undefined) this.byFingerprint.take(fingerprint, credentialId);
    if (certificate !== undefined) this.authorities.take(new X509Certificate(certificate).subject, credentialId);
  }
}
