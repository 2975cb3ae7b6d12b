import { X509Certificate } from 'node:crypto';
import type { DeviceCredentialChanged } from '@lanyard/contracts';
import type { StateReader } from '@lanyard/kafka';
import { open } from '@lanyard/service';

/** An issuer that an account trusts, ready to verify with. */
interface Authority {
  credential: DeviceCredentialChanged;
  x509: X509Certificate;
}

/** Called when what somebody is connected with is not valid any more. */
export type Withdrawn = (credentialId: string) => void;

/**
 * This replica's copy of all credentials, found by what a device shows. A handshake cannot wait: nothing is looked up
 * elsewhere. Keys stay sealed until one is needed.
 */
export class CredentialBook {
  private readonly byIdentity = new Map<string, DeviceCredentialChanged>();
  private readonly byFingerprint = new Map<string, DeviceCredentialChanged>();
  /** By subject: two issuers may have the same. */
  private readonly authorities = new Map<string, Authority[]>();
  private readonly withdrawn: Withdrawn[] = [];

  constructor(
    private readonly reader: StateReader<DeviceCredentialChanged>,
    private readonly encryptionKey: Buffer,
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
    return this.byIdentity.get(identity);
  }

  /** Throws when it was sealed with another ENCRYPTION_KEY. */
  keyOf({ sealedKey = '' }: DeviceCredentialChanged): Buffer {
    return Buffer.from(open(this.encryptionKey, sealedKey), 'hex');
  }

  /** Of the certificate itself, or of the trusted issuer that signed it. */
  certified(x509: X509Certificate): DeviceCredentialChanged | undefined {
    const own = this.byFingerprint.get(x509.fingerprint256.replaceAll(':', '').toLowerCase());
    if (own) return own;
    const issuers = this.authorities.get(x509.issuer) ?? [];
    return issuers.find((issuer) => x509.checkIssued(issuer.x509) && x509.verify(issuer.x509.publicKey))?.credential;
  }

  private changed(credential?: DeviceCredentialChanged, previous?: DeviceCredentialChanged): void {
    if (previous) this.remove(previous);
    if (credential) this.add(credential);
    else if (previous) for (const listener of this.withdrawn) listener(previous.credentialId);
  }

  private add(credential: DeviceCredentialChanged): void {
    const { kind, identity, fingerprint, certificate } = credential;
    if (kind === 'psk' && identity !== undefined) this.byIdentity.set(identity, credential);
    if (kind === 'certificate' && fingerprint !== undefined) this.byFingerprint.set(fingerprint, credential);
    if (kind === 'authority' && certificate !== undefined) {
      const x509 = new X509Certificate(certificate);
      this.authorities.set(x509.subject, [...(this.authorities.get(x509.subject) ?? []), { credential, x509 }]);
    }
  }

  /** The same identity may be another credential's by now: topics are in order by key, not by identity. */
  private remove(credential: DeviceCredentialChanged): void {
    const { credentialId, identity = '', fingerprint = '', certificate } = credential;
    if (this.byIdentity.get(identity)?.credentialId === credentialId) this.byIdentity.delete(identity);
    if (this.byFingerprint.get(fingerprint)?.credentialId === credentialId) this.byFingerprint.delete(fingerprint);
    if (certificate === undefined) return;
    const { subject } = new X509Certificate(certificate);
    const left = (this.authorities.get(subject) ?? []).filter((one) => one.credential.credentialId !== credentialId);
    if (left.length > 0) this.authorities.set(subject, left);
    else this.authorities.delete(subject);
  }
}
