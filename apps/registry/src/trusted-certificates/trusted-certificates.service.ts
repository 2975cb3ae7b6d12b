import { type KeyObject, verify } from 'node:crypto';
import type { Actor } from '@lanyard/contracts';
import { type AuditTrail, causedBy } from '@lanyard/kafka';
import { dividedChange, isId, isoTime, newId, refuseOtherValues } from '@lanyard/service';
import type { DataSource, EntityManager } from 'typeorm';
import type { CredentialAnnouncer } from '../credentials/announcer.js';
import { readCertificate } from '../credentials/certificate.js';
import { isUniqueViolation } from '../devices/devices.service.js';
import {
  CredentialTaken,
  NoAuthority,
  ProofInvalid,
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

const wireTime = (column: string): string => `${isoTime(column)} AS ${column}`;

const columns = `'trusted-certificate' AS object, id, account_id, name, certificate, fingerprint, subject, enrolment,
  revoked_serials,
  ${['expires_at', 'created_at', 'updated_at'].map(wireTime).join(', ')}`;

/**
 * Certificates are public: without a proof anybody could have the devices of somebody else's issuer enrolled into an
 * account of his own.
 */
const proves = (accountId: string, proof: string, key: KeyObject): boolean => {
  const algorithm = key.asymmetricKeyType?.startsWith('ed') ? null : 'sha256';
  try {
    return verify(algorithm, Buffer.from(accountId), key, Buffer.from(proof, 'base64'));
  } catch {
    return false;
  }
};

/** Issuers of device certificates that an account trusts. */
export class TrustedCertificatesService {
  constructor(
    private readonly database: DataSource,
    private readonly announcer: CredentialAnnouncer,
    private readonly audit: AuditTrail,
  ) {}

  /** Throws MalformedCertificate, NoAuthority, ProofInvalid, CredentialTaken, TooManyCredentials. */
  async create(actor: Actor, wanted: NewTrustedCertificate): Promise<TrustedCertificate> {
    const { accountId } = actor;
    const facts = readCertificate(wanted.certificate);
    if (!facts.x509.ca) throw new NoAuthority();
    if (!proves(accountId, wanted.proof, facts.x509.publicKey)) throw new ProofInvalid();
    try {
      return await this.database.transaction(async (manager) => {
        await this.assertRoom(manager, accountId);
        const { pem, fingerprint, subject, notAfter } = facts;
        const [stored] = (await manager.query(
          `INSERT INTO registry.trusted_certificates (id, account_id, name, certificate, fingerprint, subject, expires_at, enrolment)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING ${columns}`,
          [newId(), accountId, wanted.name, pem, fingerprint, subject, notAfter, wanted.enrolment],
        )) as TrustedCertificate[];
        await this.record(manager, 'SYS_562', actor, stored as TrustedCertificate);
        return this.announced(manager, stored as TrustedCertificate);
      });
    } catch (error) {
      if (isUniqueViolation(error)) throw new CredentialTaken('certificate');
      throw error;
    }
  }

  list(accountId: string): Promise<TrustedCertificate[]> {
    return this.database.query(
      `SELECT ${columns} FROM registry.trusted_certificates WHERE account_id = $1 ORDER BY id`,
      [accountId],
    );
  }

  async get(accountId: string, id: string): Promise<TrustedCertificate> {
    const [found]: TrustedCertificate[] = isId(id)
      ? await this.database.query(
          `SELECT ${columns} FROM registry.trusted_certificates WHERE id = $1 AND account_id = $2`,
          [id, accountId],
        )
      : [];
    if (!found) throw new TrustedCertificateNotFound();
    return found;
  }

  /** What is given is changed. */
  async change(actor: Actor, id: string, body: TrustedCertificateChanges): Promise<TrustedCertificate> {
    const { changes: wanted, unchanged } = dividedChange(body, changeable);
    const { enrolment, name, revoked_serials: revokedSerials } = wanted;
    return this.database.transaction(async (manager) => {
      refuseOtherValues(unchanged, await this.held(manager, actor.accountId, id));
      const [[changed]] = (await manager.query(
        `UPDATE registry.trusted_certificates SET enrolment = coalesce($3, enrolment), name = coalesce($4, name),
           revoked_serials = coalesce($5::text[], revoked_serials), updated_at = clock_timestamp()
         WHERE id = $1 AND account_id = $2 RETURNING ${columns}`,
        [id, actor.accountId, enrolment, name, revokedSerials],
      )) as [TrustedCertificate[], number];
      if (!changed) throw new TrustedCertificateNotFound();
      const changes = {
        ...(name !== undefined && { name }),
        ...(enrolment !== undefined && { enrolment: String(enrolment) }),
        ...(revokedSerials !== undefined && { revoked_serials: String(revokedSerials.length) }),
      };
      await this.record(manager, 'SYS_563', actor, changed, changes);
      return this.announced(manager, changed);
    });
  }

  /** Devices that came by it are disconnected; those that were created stay in the directory. */
  async remove(actor: Actor, id: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      const [[gone]] = (await manager.query(
        `DELETE FROM registry.trusted_certificates WHERE id = $1 AND account_id = $2 RETURNING ${columns}`,
        [id, actor.accountId],
      )) as [TrustedCertificate[], number];
      if (!gone) throw new TrustedCertificateNotFound();
      causedBy(manager, actor.requestId);
      await this.announcer.withdrawn(manager, id);
      await this.record(manager, 'SYS_564', actor, gone);
    });
  }

  /** Nobody else changes it before the transaction ends. */
  private async held(manager: EntityManager, accountId: string, id: string): Promise<TrustedCertificate> {
    const [held] = (await manager.query(
      `SELECT ${columns} FROM registry.trusted_certificates WHERE id = $1 AND account_id = $2 FOR UPDATE`,
      [id, accountId],
    )) as TrustedCertificate[];
    if (!held) throw new TrustedCertificateNotFound();
    return held;
  }

  private async record(
    manager: EntityManager,
    action: 'SYS_562' | 'SYS_563' | 'SYS_564',
    actor: Actor,
    { id, name, fingerprint }: TrustedCertificate,
    changes?: Record<string, string>,
  ): Promise<void> {
    const target = { kind: 'trusted-certificate', id, name };
    causedBy(manager, actor.requestId);
    const deed = { accountId: actor.accountId, actor, target, data: { fingerprint }, ...(changes && { changes }) };
    await this.audit.record(manager, action, deed);
  }

  /** Two calls at once see each other: the account has one lock. */
  private async assertRoom(manager: EntityManager, accountId: string): Promise<void> {
    await manager.query(`SELECT pg_advisory_xact_lock(hashtext('trusted-certificates'), hashtext($1))`, [accountId]);
    const [counted] = (await manager.query(
      'SELECT count(*)::int AS count FROM registry.trusted_certificates WHERE account_id = $1',
      [accountId],
    )) as { count: number }[];
    if ((counted?.count ?? 0) >= trustedPerAccountMax) throw new TooManyCredentials(trustedPerAccountMax);
  }

  private async announced(manager: EntityManager, stored: TrustedCertificate): Promise<TrustedCertificate> {
    await this.announcer.changed(manager, {
      credentialId: stored.id,
      accountId: stored.account_id,
      kind: 'authority',
      certificate: stored.certificate,
      enrolment: stored.enrolment,
      ...(stored.revoked_serials.length > 0 && { revokedSerials: stored.revoked_serials }),
      changedAt: stored.updated_at,
    });
    return stored;
  }
}
