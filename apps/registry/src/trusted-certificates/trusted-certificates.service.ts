import { type KeyObject, verify, X509Certificate } from 'node:crypto';
import { type Actor, DeviceCredentials, endpointNameSources } from '@lanyard/contracts';
import { AuditTrail, causedBy, Outbox } from '@lanyard/kafka';
import { changesOf, isoTime, type ListEnvelope, type ListQuery, type ListSpec, newId } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { readCertificate } from '../credentials/certificate.js';
import { credentialServices } from '../credentials/credential-fields.js';
import {
  CredentialTaken,
  NoAuthority,
  SignatureInvalid,
  SignatureMissing,
  TooManyCredentials,
  TrustedCertificateNotFound,
} from '../errors.js';
import { lockedCount } from '../records/locked-count.js';
import { auditChanges, NamedRecords, type RecordChange } from '../records/named-records.js';
import { mustBeSuitable } from './authority-key.js';
import {
  changeable,
  type NewTrustedCertificate,
  TrustedCertificate,
  type TrustedCertificateChanges,
  trustedPerAccountMax,
} from './fields.js';

const expressions = {
  enrollment_mode: 't.enrolment',
  certificate_fingerprint: 't.fingerprint',
  validity: isoTime('t.expires_at'),
  valid: 't.expires_at > clock_timestamp()',
};

export const trustedListSpec: ListSpec = {
  filters: {
    id: 'text',
    name: 'text',
    description: 'text',
    service: 'text',
    endpoint_name_from: 'text',
    status: 'text',
    subject: 'text',
    issuer: 'text',
    certificate_fingerprint: 'text',
    enrollment_mode: 'bool',
    verified: 'bool',
    validity: 'date',
    created_at: 'date',
    updated_at: 'date',
  },
  sets: { service: credentialServices, endpoint_name_from: endpointNameSources, status: ['ACTIVE', 'INACTIVE'] },
};

/** A client may send back an outdated value: the certificate may have expired since it was read. */
const volatileMembers = ['valid'];

/**
 * Whether a signature is given, which proves that the issuer belongs to the account. Throws SignatureInvalid for a
 * wrong one. Certificates are public: without the proof, an account could trust the issuer of another account, and the
 * devices of that account would connect to it, or be enrolled in it.
 */
const isSigned = (accountId: string, signature: string | null | undefined, key: KeyObject): boolean => {
  if (signature == null) return false;
  const algorithm = key.asymmetricKeyType?.startsWith('ed') ? null : 'sha256';
  let isValid: boolean;
  try {
    isValid = verify(algorithm, Buffer.from(accountId), key, Buffer.from(signature, 'base64'));
  } catch {
    isValid = false;
  }
  if (!isValid) throw new SignatureInvalid();
  return true;
};

type Values = Omit<TrustedCertificateChanges, 'signature'> & { verified?: boolean };

@Injectable()
export class TrustedCertificatesService extends NamedRecords<TrustedCertificate> {
  constructor(
    database: DataSource,
    audit: AuditTrail,
    private readonly outbox: Outbox,
  ) {
    super(database, audit, {
      object: 'trusted-cert',
      schema: TrustedCertificate,
      target: 'trusted-certificate',
      table: 'trusted_certificates',
      expressions,
      compared: { validity: 't.expires_at' },
      changeable,
      volatileMembers,
      notFound: () => new TrustedCertificateNotFound(),
      nameTaken: () => new CredentialTaken('certificate'),
      actions: { created: 'SYS_562', changed: 'SYS_563', deleted: 'SYS_564' },
      data: ({ certificate_fingerprint: fingerprint }) => ({ fingerprint }),
      // Devices that connected with it are disconnected; created devices stay in the directory.
      onChange: (manager, change, stored, actor) => this.announce(manager, change, stored, actor),
    });
  }

  /** Always with the total. */
  override list(accountId: string, query: ListQuery): Promise<ListEnvelope<TrustedCertificate>> {
    return super.list(accountId, { ...query, includeTotal: true });
  }

  /**
   * Throws MalformedCertificate, NoAuthority, AuthorityKeyUnsuitable, SignatureInvalid, SignatureMissing, CredentialTaken,
   * TooManyCredentials.
   */
  override async create(actor: Actor, wanted: NewTrustedCertificate): Promise<TrustedCertificate> {
    const { accountId } = actor;
    const { x509, pem, fingerprint, subject, issuer, notAfter } = readCertificate(wanted.certificate);
    if (!x509.ca) throw new NoAuthority();
    mustBeSuitable(x509.publicKey);
    const verified = isSigned(accountId, wanted.signature, x509.publicKey);
    const { status = verified ? 'ACTIVE' : 'INACTIVE' } = wanted;
    if (status === 'ACTIVE' && !verified) throw new SignatureMissing();
    return this.refusingTakenNames(async (manager) => {
      const count = await lockedCount(manager, 'trusted_certificates', accountId);
      if (count >= trustedPerAccountMax) throw new TooManyCredentials(trustedPerAccountMax, 'trusted certificates');
      const id = newId();
      await manager.query(
        `INSERT INTO registry.trusted_certificates
           (id, account_id, name, description, certificate, fingerprint, subject, issuer, expires_at, enrolment, status, verified,
            service, endpoint_name_from)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
        [
          ...[id, accountId, wanted.name, wanted.description ?? '', pem, fingerprint, subject, issuer, notAfter],
          ...[wanted.enrollment_mode, status, verified, wanted.service, wanted.endpoint_name_from],
        ],
      );
      const made = await this.get(accountId, id, manager);
      await this.announce(manager, 'created', made, actor);
      await this.recordAction(manager, actor, { change: 'created', record: made });
      return made;
    });
  }

  /** Changes the given fields. Throws AuthorityKeyUnsuitable, SignatureInvalid, SignatureMissing, CredentialTaken, EtagDiffers. */
  override async change(
    actor: Actor,
    id: string,
    body: TrustedCertificateChanges,
    ifMatch?: string,
  ): Promise<TrustedCertificate> {
    const { accountId } = actor;
    return this.refusingTakenNames(async (manager) => {
      await this.lockRecord(manager, accountId, id, ifMatch);
      const current = await this.get(accountId, id, manager);
      const { signature, ...values } = changesOf(body, changeable, current, volatileMembers);
      const { publicKey } = new X509Certificate(current.certificate);
      if (signature != null) mustBeSuitable(publicKey);
      const isProven = isSigned(accountId, signature, publicKey);
      const given: Values = { ...values, ...(isProven && !current.verified && { verified: true }) };
      if (values.status === 'ACTIVE' && !isProven && !current.verified) throw new SignatureMissing();
      await manager.query(
        `UPDATE registry.trusted_certificates SET enrolment = coalesce($2, enrolment), name = coalesce($3, name),
           description = coalesce($4, description), status = coalesce($5, status), verified = verified OR $6,
           revoked_serials = coalesce($7::text[], revoked_serials), updated_at = clock_timestamp()
         WHERE id = $1`,
        [
          ...[id, given.enrollment_mode, given.name, given.description === null ? '' : given.description],
          ...[given.status, isProven, given.revoked_serials],
        ],
      );
      const changed = await this.get(accountId, id, manager);
      await this.announce(manager, 'changed', changed, actor);
      const { revoked_serials: revoked, ...others } = given;
      const changes = auditChanges({ ...others, ...(revoked && { revoked_serials: revoked.length }) });
      await this.recordAction(manager, actor, { change: 'changed', record: changed, changes });
      return changed;
    });
  }

  /**
   * An inactive certificate is withdrawn first: a device-proxy of an older version knows no inactive ones. It is then announced
   * as inactive if it is proved, so that its devices are refused even if another account has added their certificates.
   */
  private async announce(
    manager: EntityManager,
    change: RecordChange,
    stored: TrustedCertificate,
    { requestId }: Actor,
  ): Promise<void> {
    causedBy(manager, requestId);
    const isInactive = stored.status === 'INACTIVE';
    if (change === 'deleted' || isInactive) await this.outbox.appendTombstone(manager, DeviceCredentials, stored.id);
    if (change === 'deleted' || (isInactive && !stored.verified)) return;
    await this.outbox.append(manager, DeviceCredentials, {
      credentialId: stored.id,
      accountId: stored.account_id,
      kind: isInactive ? 'inactive_authority' : 'authority',
      service: stored.service,
      certificate: stored.certificate,
      enrolment: stored.enrollment_mode,
      ...(stored.endpoint_name_from !== 'common_name' && { endpointNameFrom: stored.endpoint_name_from }),
      ...(stored.revoked_serials.length > 0 && { revokedSerials: stored.revoked_serials }),
      changedAt: stored.updated_at,
    });
  }
}
