import { type KeyObject, verify, X509Certificate } from 'node:crypto';
import type { Actor } from '@lanyard/contracts';
import { AuditTrail, causedBy } from '@lanyard/kafka';
import {
  countedPageOf,
  dividedChange,
  isoTime,
  isUniqueViolation,
  type ListEnvelope,
  type ListQuery,
  type ListSpec,
  mustMatch,
  newId,
  refuseOtherValues,
  returning,
} from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CredentialAnnouncer } from '../devices/credential-announcer.js';
import { readCertificate } from '../credentials/certificate.js';
import { services } from '../credentials/credential-fields.js';
import {
  CredentialTaken,
  NoAuthority,
  SignatureInvalid,
  SignatureMissing,
  TooManyCredentials,
  TrustedCertificateNotFound,
} from '../errors.js';
import {
  changeable,
  type NewTrustedCertificate,
  type TrustedCertificate,
  type TrustedCertificateChanges,
  trustedPerAccountMax,
} from './fields.js';

const columns = `'trusted-cert' AS object, id, account_id, name, description, service, status, verified,
  enrolment AS enrollment_mode, certificate, fingerprint AS certificate_fingerprint, subject, issuer,
  ${isoTime('expires_at')} AS validity, expires_at > clock_timestamp() AS valid, revoked_serials,
  ${isoTime('created_at')} AS created_at, ${isoTime('updated_at')} AS updated_at, ${isoTime('updated_at')} AS etag`;

const table = 'registry.trusted_certificates';

/** Filters of the list; most have the name of their column. */
export const trustedListSpec: ListSpec = {
  filters: {
    id: 'text',
    name: 'text',
    description: 'text',
    service: 'text',
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
  sets: { service: services, status: ['ACTIVE', 'INACTIVE'] },
};

const filterColumns = {
  ...Object.fromEntries(Object.keys(trustedListSpec.filters).map((name) => [name, name])),
  certificate_fingerprint: 'fingerprint',
  enrollment_mode: 'enrolment',
  validity: 'expires_at',
};

/** The certificate may expire between being read and being sent back. */
const moving = ['valid'];

/**
 * Certificates are public: without a signature any account could have the devices of another one's issuer connect, or
 * enrol, into itself. False: none was given. Throws SignatureInvalid.
 */
const isSigned = (accountId: string, signature: string | null | undefined, key: KeyObject): boolean => {
  if (signature == null) return false;
  const algorithm = key.asymmetricKeyType?.startsWith('ed') ? null : 'sha256';
  let fits: boolean;
  try {
    fits = verify(algorithm, Buffer.from(accountId), key, Buffer.from(signature, 'base64'));
  } catch {
    fits = false;
  }
  if (!fits) throw new SignatureInvalid();
  return true;
};

type Values = Omit<TrustedCertificateChanges, 'signature'> & { verified?: boolean };

const told = ({ revoked_serials: revoked, ...values }: Values): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...values, ...(revoked && { revoked_serials: revoked.length }) })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value ?? '')]),
  );

@Injectable()
export class TrustedCertificatesService {
  constructor(
    private readonly database: DataSource,
    private readonly announcer: CredentialAnnouncer,
    private readonly audit: AuditTrail,
  ) {}

  /** Throws MalformedCertificate, NoAuthority, SignatureInvalid, SignatureMissing, CredentialTaken, TooManyCredentials. */
  async create(actor: Actor, wanted: NewTrustedCertificate): Promise<TrustedCertificate> {
    const { accountId } = actor;
    const { x509, pem, fingerprint, subject, issuer, notAfter } = readCertificate(wanted.certificate);
    if (!x509.ca) throw new NoAuthority();
    const verified = isSigned(accountId, wanted.signature, x509.publicKey);
    const { status = verified ? 'ACTIVE' : 'INACTIVE' } = wanted;
    if (status === 'ACTIVE' && !verified) throw new SignatureMissing();
    return this.refusingTaken(async (manager) => {
      await this.assertRoom(manager, accountId);
      const [stored] = await manager.query<[TrustedCertificate]>(
        `INSERT INTO registry.trusted_certificates
           (id, account_id, name, description, certificate, fingerprint, subject, issuer, expires_at, enrolment, status, verified,
            service)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING ${columns}`,
        [
          ...[newId(), accountId, wanted.name, wanted.description ?? '', pem, fingerprint, subject, issuer, notAfter],
          ...[wanted.enrollment_mode, status, verified, wanted.service],
        ],
      );
      await this.record(manager, 'SYS_562', actor, stored);
      return this.announced(manager, stored);
    });
  }

  list(accountId: string, query: ListQuery): Promise<ListEnvelope<TrustedCertificate>> {
    const source = { selected: columns, from: `${table} t`, columns: filterColumns, where: 'account_id = $1' };
    return countedPageOf(this.database, { ...source, parameters: [accountId] }, query);
  }

  get(accountId: string, id: string): Promise<TrustedCertificate> {
    return this.held(this.database.manager, accountId, id);
  }

  /** Changes the given fields. Throws SignatureInvalid, SignatureMissing, CredentialTaken, EtagDiffers. */
  async change(
    actor: Actor,
    id: string,
    body: TrustedCertificateChanges,
    ifMatch?: string,
  ): Promise<TrustedCertificate> {
    const { changes, unchanged } = dividedChange(body, changeable);
    const { signature, ...values } = changes;
    return this.refusingTaken(async (manager) => {
      const held = await this.held(manager, actor.accountId, id, 'FOR UPDATE');
      mustMatch(ifMatch, held.etag);
      refuseOtherValues(unchanged, held, moving);
      const isProven = isSigned(actor.accountId, signature, new X509Certificate(held.certificate).publicKey);
      const given: Values = { ...values, ...(isProven && !held.verified && { verified: true }) };
      if (values.status === 'ACTIVE' && !isProven && !held.verified) throw new SignatureMissing();
      const [changed] = (await returning<TrustedCertificate>(
        manager,
        `UPDATE registry.trusted_certificates SET enrolment = coalesce($2, enrolment), name = coalesce($3, name),
           description = coalesce($4, description), status = coalesce($5, status), verified = verified OR $6,
           revoked_serials = coalesce($7::text[], revoked_serials), updated_at = clock_timestamp()
         WHERE id = $1 RETURNING ${columns}`,
        [
          ...[id, given.enrollment_mode, given.name, given.description === null ? '' : given.description],
          ...[given.status, isProven, given.revoked_serials],
        ],
      )) as [TrustedCertificate];
      await this.record(manager, 'SYS_563', actor, changed, told(given));
      return this.announced(manager, changed);
    });
  }

  /** Devices that connected with it are disconnected; created devices stay in the directory. */
  async remove(actor: Actor, id: string, ifMatch?: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      const gone = await this.held(manager, actor.accountId, id, 'FOR UPDATE');
      mustMatch(ifMatch, gone.etag);
      await manager.query('DELETE FROM registry.trusted_certificates WHERE id = $1', [id]);
      causedBy(manager, actor.requestId);
      await this.announcer.withdrawn(manager, id);
      await this.record(manager, 'SYS_564', actor, gone);
    });
  }

  /** Throws TrustedCertificateNotFound. */
  private async held(manager: EntityManager, accountId: string, id: string, lock = ''): Promise<TrustedCertificate> {
    const sql = `SELECT ${columns} FROM registry.trusted_certificates WHERE id = $1 AND account_id = $2 ${lock}`;
    const [found] = await manager.query<TrustedCertificate[]>(sql, [id, accountId]);
    if (!found) throw new TrustedCertificateNotFound();
    return found;
  }

  private async refusingTaken<T>(write: (manager: EntityManager) => Promise<T>): Promise<T> {
    try {
      return await this.database.transaction(write);
    } catch (error) {
      if (isUniqueViolation(error)) throw new CredentialTaken('certificate');
      throw error;
    }
  }

  private async record(
    manager: EntityManager,
    action: 'SYS_562' | 'SYS_563' | 'SYS_564',
    actor: Actor,
    { id, name, certificate_fingerprint: fingerprint }: TrustedCertificate,
    changes?: Record<string, string>,
  ): Promise<void> {
    const target = { kind: 'trusted-certificate', id, name };
    causedBy(manager, actor.requestId);
    const entry = { accountId: actor.accountId, actor, target, data: { fingerprint }, ...(changes && { changes }) };
    await this.audit.record(manager, action, entry);
  }

  /** Serialises concurrent calls with a lock of the account. */
  private async assertRoom(manager: EntityManager, accountId: string): Promise<void> {
    await manager.query(`SELECT pg_advisory_xact_lock(hashtext('trusted-certificates'), hashtext($1))`, [accountId]);
    const [counted] = await manager.query<[{ count: number }]>(
      'SELECT count(*)::int AS count FROM registry.trusted_certificates WHERE account_id = $1',
      [accountId],
    );
    if (counted.count >= trustedPerAccountMax) throw new TooManyCredentials(trustedPerAccountMax);
  }

  /** One that is not active looks deleted to the device-proxies. */
  private async announced(manager: EntityManager, stored: TrustedCertificate): Promise<TrustedCertificate> {
    if (stored.status === 'INACTIVE') {
      await this.announcer.withdrawn(manager, stored.id);
      return stored;
    }
    await this.announcer.changed(manager, {
      credentialId: stored.id,
      accountId: stored.account_id,
      kind: 'authority',
      service: stored.service,
      certificate: stored.certificate,
      enrolment: stored.enrollment_mode,
      ...(stored.revoked_serials.length > 0 && { revokedSerials: stored.revoked_serials }),
      changedAt: stored.updated_at,
    });
    return stored;
  }
}
