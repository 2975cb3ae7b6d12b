import { createHash, X509Certificate } from 'node:crypto';
import type { DeviceCredentialChanged } from '@lanyard/contracts';
import { CONFIG, KeyedCounts, open } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { DeviceProxyConfig } from '../config.js';
import { DeviceCredentialsReader } from '../state/device-credentials.reader.js';
import type { ShownCredential } from '../transport/sender.js';
import { continuesTo, isInDates, pathOf, serialOf } from './certificate-path.js';
import { Multimap } from './multimap.js';

/** An issuer whose key an account has proved to hold, and its parsed certificate. */
interface Authority {
  credential: DeviceCredentialChanged;
  x509: X509Certificate;
}

const idOf = ({ credentialId }: DeviceCredentialChanged): string => credentialId;

const isInactive = ({ kind }: DeviceCredentialChanged): boolean => kind === 'inactive_authority';

const isUsed = ({ credential, x509 }: Authority, nowMs: number): boolean =>
  !isInactive(credential) && isInDates(x509, nowMs);

const newestBy = <T>(found: readonly T[], credentialOf: (one: T) => DeviceCredentialChanged): T | undefined =>
  found.reduce<T | undefined>(
    (best, one) => (best && credentialOf(best).changedAt > credentialOf(one).changedAt ? best : one),
    undefined,
  );

const newest = (found: readonly DeviceCredentialChanged[]): DeviceCredentialChanged | undefined =>
  newestBy(found, (one) => one);

/** A credential that is no longer valid. */
export interface Withdrawal {
  credentialId: string;
  /** The device, if it belonged to one. */
  deviceId?: string;
  /** If present, only certificates with these serial numbers are withdrawn; otherwise all. */
  serials?: ReadonlySet<string>;
}

export type Withdrawn = (withdrawal: Withdrawal) => void;

export interface Recognised {
  credential: DeviceCredentialChanged;
  /** Serial numbers, from the device's own certificate up to the one that the trusted issuer signed. */
  serials: string[];
  /** The issuer, which may be inactive or out of its dates. Absent: the credential is the device's own certificate. */
  issuer?: X509Certificate;
}

export const isWithdrawnBy = (shown: ShownCredential | undefined, { credentialId, serials }: Withdrawal): boolean =>
  shown?.id === credentialId && (serials === undefined || (shown.serials ?? []).some((serial) => serials.has(serial)));

type IndexConfig = Pick<DeviceProxyConfig, 'dtls' | 'tls'> & {
  secrets: Pick<DeviceProxyConfig['secrets'], 'encryptionKey'>;
};

/**
 * This replica's copy of all credentials, indexed by what a device presents. It is complete, because a handshake cannot
 * wait for a lookup elsewhere. Keys stay sealed until one is needed.
 */
@Injectable()
export class CredentialIndex {
  private readonly byIdentity = new Multimap(idOf);
  private readonly byFingerprint = new Multimap(idOf);
  /** By subject: two issuers may have the same one. */
  private readonly authorities = new Multimap<string, Authority>(({ credential }) => idOf(credential));
  /** How many credentials each device has. */
  private readonly ofDevices = new KeyedCounts();
  private readonly withdrawn: Withdrawn[] = [];

  constructor(
    @Inject(DeviceCredentialsReader)
    private readonly reader: Pick<DeviceCredentialsReader, 'onChange' | 'get'>,
    @Inject(CONFIG) private readonly config: IndexConfig,
  ) {
    // Without TLS and DTLS no device presents a credential.
    if (config.tls ?? config.dtls) reader.onChange((_id, credential, previous) => this.changed(credential, previous));
  }

  onWithdrawn(listener: Withdrawn): void {
    this.withdrawn.push(listener);
  }

  /** Whether the device has a credential. False also without TLS and DTLS, when no device can present one. */
  has(deviceId: string): boolean {
    return this.ofDevices.get(deviceId) > 0;
  }

  withId(credentialId: string): DeviceCredentialChanged | undefined {
    return this.reader.get(credentialId);
  }

  /** Whether a credential that was presented and verified before is still valid. */
  isValid({ id, serials = [] }: ShownCredential): boolean {
    const credential = this.reader.get(id);
    if (!credential || isInactive(credential)) return false;
    const { revokedSerials: revoked = [] } = credential;
    return !serials.some((serial) => revoked.includes(serial));
  }

  /** The newest credential with this identity of a pre-shared key. */
  identified(identity: string): DeviceCredentialChanged | undefined {
    return newest(this.byIdentity.get(identity));
  }

  /** Throws when the key was sealed with another ENCRYPTION_KEY. */
  keyOf({ sealedKey = '' }: DeviceCredentialChanged): Buffer {
    return Buffer.from(open(this.config.secrets.encryptionKey, sealedKey), 'hex');
  }

  /**
   * Finds the credential by the certificate itself, or by a trusted issuer that signed it or an issuer that the device sent with
   * it. A certificate is public, and any account can add it; an issuer is trusted only after its account has proved that it holds
   * the issuer's key. So if the two name different accounts, the issuer's account decides.
   */
  certified(chain: readonly X509Certificate[], nowMs: number): Recognised | undefined {
    const [x509] = chain;
    if (!x509) return undefined;
    const own = newest(this.byFingerprint.get(x509.fingerprint256.replaceAll(':', '').toLowerCase()));
    const issued = this.issued(chain, nowMs);
    if (!own || (issued && issued.credential.accountId !== own.accountId)) return issued;
    return { credential: own, serials: [] };
  }

  /** Finds the credential by the SubjectPublicKeyInfo (DER) whose private key a device proved to have. */
  withPublicKey(publicKey: Buffer): DeviceCredentialChanged | undefined {
    const fingerprint = createHash('sha256').update(publicKey).digest('hex');
    return newest(this.byFingerprint.get(fingerprint).filter(({ kind }) => kind === 'raw_public_key'));
  }

  /**
   * An issuer that is inactive or out of its dates counts if there is no other: its account has the device, which is
   * refused.
   */
  private issued(chain: readonly X509Certificate[], nowMs: number): Recognised | undefined {
    const path = pathOf(chain, nowMs);
    let unused: Recognised | undefined;
    for (const [depth, certificate] of path.entries()) {
      const below = path.slice(0, depth + 1);
      const authority = this.issuerOf(certificate, below, nowMs);
      if (!authority) continue;
      const { credential, x509: issuer } = authority;
      const found = { credential, serials: below.map(serialOf), issuer };
      if (isUsed(authority, nowMs)) return found;
      unused ??= found;
    }
    return unused;
  }

  /**
   * The newest issuer that is active and in its dates, otherwise the newest one.
   * @param path From the device's own certificate up to this one
   */
  private issuerOf(x509: X509Certificate, path: readonly X509Certificate[], nowMs: number): Authority | undefined {
    const issuers = this.authorities.get(x509.issuer).filter(({ x509: issuer }) => continuesTo(path, issuer));
    const used = issuers.filter((issuer) => isUsed(issuer, nowMs));
    return newestBy(used.length > 0 ? used : issuers, ({ credential }) => credential);
  }

  private changed(credential?: DeviceCredentialChanged, previous?: DeviceCredentialChanged): void {
    if (previous) this.remove(previous);
    if (credential) this.add(credential);
    if (previous?.deviceId !== undefined) this.ofDevices.decrement(previous.deviceId);
    if (credential?.deviceId !== undefined) this.ofDevices.increment(credential.deviceId);
    if (!previous) return;
    const { credentialId, deviceId } = previous;
    if (!credential || isInactive(credential)) this.announceWithdrawal({ credentialId, deviceId });
    else if (credential.revokedSerials?.length)
      this.announceWithdrawal({ credentialId, serials: new Set(credential.revokedSerials) });
  }

  private announceWithdrawal(withdrawal: Withdrawal): void {
    for (const listener of this.withdrawn) listener(withdrawal);
  }

  private add(credential: DeviceCredentialChanged): void {
    const { identity, fingerprint, certificate } = credential;
    if (identity !== undefined) this.byIdentity.add(identity, credential);
    if (fingerprint !== undefined) this.byFingerprint.add(fingerprint, credential);
    if (certificate === undefined) return;
    const x509 = new X509Certificate(certificate);
    this.authorities.add(x509.subject, { credential, x509 });
  }

  private remove({ credentialId, identity, fingerprint, certificate }: DeviceCredentialChanged): void {
    if (identity !== undefined) this.byIdentity.delete(identity, credentialId);
    if (fingerprint !== undefined) this.byFingerprint.delete(fingerprint, credentialId);
    if (certificate !== undefined) this.authorities.delete(new X509Certificate(certificate).subject, credentialId);
  }
}
