import { type Actor, DeviceCredentials } from '@lanyard/contracts';
import { AuditTrail, causedBy, Outbox } from '@lanyard/kafka';
import {
  CONFIG,
  countedPageOf,
  countOf,
  isoTime,
  isUniqueViolation,
  type ListEnvelope,
  type ListQuery,
  type ListSpec,
  newId,
  returning,
  seal,
} from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { RegistryConfig } from '../config.js';
import { CredentialNotFound, CredentialTaken, DeviceNotFound, TooManyCredentials } from '../errors.js';
import { readCertificate } from './certificate.js';
import { announcementOf } from './credential-announcement.js';
import {
  type CreatedCredential,
  type Credential,
  type CredentialKind,
  credentialKinds,
  credentialServices,
  credentialsPerDeviceMax,
  type NewCredential,
  qualifiedIdentity,
} from './credential-fields.js';
import { newKey } from './pre-shared-key.js';
import { publicKeyFingerprint } from './public-key.js';

interface Row {
  kind: CredentialKind;
  service: 'lwm2m' | 'bootstrap';
  identity?: string;
  sealedKey?: string;
  fingerprint?: string;
  certificate?: string;
  subject?: string;
  expiresAt?: Date;
}

const wireTime = (column: string): string => `${isoTime(column)} AS ${column}`;

const columns = `'device-credential' AS object, id, device_id, kind, service, bootstrapped, provisional, identity, fingerprint, subject,
  ${wireTime('expires_at')}, ${wireTime('created_at')}`;

export const credentialListSpec: ListSpec = {
  filters: {
    id: 'text',
    kind: 'text',
    service: 'text',
    bootstrapped: 'bool',
    provisional: 'bool',
    identity: 'text',
    fingerprint: 'text',
    subject: 'text',
    expires_at: 'date',
    created_at: 'date',
  },
  sets: { kind: credentialKinds, service: credentialServices },
};

/** The field by which a connecting device is recognised. */
const uniqueField = { psk: 'identity', certificate: 'certificate', raw_public_key: 'public_key' } as const;

/** Credentials with which devices authenticate. A key is encrypted at rest and never returned again. */
@Injectable()
export class CredentialsService {
  constructor(
    private readonly database: DataSource,
    private readonly outbox: Outbox,
    private readonly audit: AuditTrail,
    @Inject(CONFIG) private readonly config: RegistryConfig,
  ) {}

  /** Throws DeviceNotFound, TooManyCredentials, CredentialTaken, MalformedCertificate, MalformedPublicKey. */
  async create(actor: Actor, deviceId: string, wanted: NewCredential): Promise<CreatedCredential> {
    const { row, key } = this.rowOf(actor.accountId, wanted);
    try {
      const stored = await this.database.transaction((manager) => this.store(manager, actor, deviceId, row));
      return key === undefined ? stored : { ...stored, key };
    } catch (error) {
      if (isUniqueViolation(error)) throw new CredentialTaken(uniqueField[wanted.kind]);
      throw error;
    }
  }

  async list(accountId: string, deviceId: string, query: ListQuery): Promise<ListEnvelope<Credential>> {
    await this.assertDevice(this.database.manager, accountId, deviceId, '');
    const where = 'device_id = $1 AND account_id = $2';
    const source = { selected: columns, from: 'registry.device_credentials t', where };
    return countedPageOf(this.database, { ...source, parameters: [deviceId, accountId] }, query);
  }

  async get(accountId: string, deviceId: string, id: string): Promise<Credential> {
    const [credential] = await this.database.query<Credential[]>(
      `SELECT ${columns} FROM registry.device_credentials WHERE id = $1 AND device_id = $2 AND account_id = $3`,
      [id, deviceId, accountId],
    );
    if (!credential) throw new CredentialNotFound();
    return credential;
  }

  /** Throws CredentialNotFound. The device-proxies close the connections that were authenticated with it. */
  async remove(actor: Actor, deviceId: string, id: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      const [gone] = await returning<Credential>(
        manager,
        `DELETE FROM registry.device_credentials WHERE id = $1 AND device_id = $2 AND account_id = $3
         RETURNING ${columns}`,
        [id, deviceId, actor.accountId],
      );
      if (!gone) throw new CredentialNotFound();
      causedBy(manager, actor.requestId);
      await this.outbox.appendTombstone(manager, DeviceCredentials, id);
      await this.record(manager, 'SYS_561', actor, gone);
    });
  }

  private rowOf(accountId: string, wanted: NewCredential): { row: Row; key?: string } {
    const { service } = wanted;
    if (wanted.kind === 'certificate') {
      const { fingerprint, subject, notAfter, pem } = readCertificate(wanted.certificate);
      return { row: { kind: 'certificate', service, fingerprint, subject, expiresAt: notAfter, certificate: pem } };
    }
    if (wanted.kind === 'raw_public_key')
      return { row: { kind: 'raw_public_key', service, fingerprint: publicKeyFingerprint(wanted.public_key) } };
    const key = wanted.key?.toLowerCase() ?? newKey();
    const identity = wanted.identity === undefined ? newId() : this.presentedIdentity(accountId, wanted.identity);
    return { row: { kind: 'psk', service, identity, sealedKey: seal(this.config.secrets.encryptionKey, key) }, key };
  }

  /** The identity that the device presents in its handshake. Throws ValidationFailed if it is too long. */
  private presentedIdentity(accountId: string, chosen: string): string {
    return this.config.qualifiesIdentities ? qualifiedIdentity(accountId, chosen) : chosen;
  }

  private async store(manager: EntityManager, actor: Actor, deviceId: string, row: Row): Promise<Credential> {
    const { accountId } = actor;
    await this.assertDevice(manager, accountId, deviceId, 'FOR UPDATE');
    const others = 'registry.device_credentials WHERE device_id = $1 AND NOT bootstrapped';
    if ((await countOf(manager, others, [deviceId])) >= credentialsPerDeviceMax)
      throw new TooManyCredentials(credentialsPerDeviceMax, 'credentials of a device');
    const id = newId();
    const { kind, service, identity, sealedKey, fingerprint, certificate, subject, expiresAt } = row;
    const [credential] = await manager.query<[Credential]>(
      `INSERT INTO registry.device_credentials
         (id, account_id, device_id, kind, service, identity, sealed_key, fingerprint, certificate, subject, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING ${columns}`,
      [id, accountId, deviceId, kind, service, identity, sealedKey, fingerprint, certificate, subject, expiresAt],
    );
    causedBy(manager, actor.requestId);
    const announced = announcementOf({ ...credential, account_id: accountId, sealed_key: sealedKey ?? null });
    await this.outbox.append(manager, DeviceCredentials, announced);
    await this.record(manager, 'SYS_560', actor, credential);
    return credential;
  }

  private async record(
    manager: EntityManager,
    action: 'SYS_560' | 'SYS_561',
    actor: Actor,
    { id, device_id: deviceId, kind, service, identity }: Credential,
  ): Promise<void> {
    const target = { kind: 'device-credential', id };
    const data = { kind, service, ...(identity && { identity }) };
    await this.audit.record(manager, action, { accountId: actor.accountId, actor, target, deviceId, data });
  }

  private async assertDevice(
    manager: EntityManager,
    accountId: string,
    deviceId: string,
    lock: '' | 'FOR UPDATE',
  ): Promise<void> {
    const sql = `SELECT 1 FROM registry.devices WHERE id = $1 AND account_id = $2 ${lock}`;
    const found = await manager.query<unknown[]>(sql, [deviceId, accountId]);
    if (found.length === 0) throw new DeviceNotFound();
  }
}
