import { AuditTrail } from '@lanyard/kafka';
import { CLOCK, type Clock, formatTimestamp, Unauthenticated } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Source } from '../authentication/client-address.js';
import { KnownKeys } from '../authentication/known-keys.js';
import { proofByHash, type VerifiedKey } from '../authentication/proof.js';
import { type NewSession, Sessions } from '../authentication/sessions.js';
import { Account } from '../db/account.entity.js';
import { ApiKey } from '../db/api-key.entity.js';
import { Application } from '../db/application.entity.js';
import { User } from '../db/user.entity.js';
import type { SessionRecord } from './session-record.js';

const typeOf = (subject: ApiKey | Application | User): SessionRecord['subject']['type'] => {
  if (subject instanceof ApiKey) return 'api-key';
  return subject instanceof User ? 'user' : 'application';
};

/** Opens sessions, and makes the record of a session or key that `/v3/session` returns. */
@Injectable()
export class SessionRecordsService {
  constructor(
    private readonly database: DataSource,
    private readonly keys: KnownKeys,
    private readonly sessions: Sessions,
    private readonly audit: AuditTrail,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Opens a session and records it in the event log of the account. `former`: the token of the one that it replaces. */
  async open(
    { key, proof }: VerifiedKey,
    { address, requestId }: Source,
    { former, ...validity }: Pick<NewSession, 'expiresByMs' | 'renewal'> & { former?: string | undefined } = {},
  ): Promise<{ record: SessionRecord; token: string }> {
    const { accountId, keyId } = key;
    const { type, name } = (await this.recordOf({ key, proof }, Infinity)).subject;
    const target = { kind: type, id: keyId, name };
    const actor = { keyId, accountId, requestId };
    const { session, token } = await this.sessions.open(
      { accountId, principalId: keyId, secretHash: proof.hash, ...validity },
      (manager) =>
        this.audit.record(
          manager,
          'SYS_508',
          { accountId, actor, target, data: { address } },
          new Date(this.clock.now()),
        ),
    );
    if (former) await this.sessions.endSession(former);
    return { record: await this.recordOf({ key, proof }, session.expiresAt.getTime()), token };
  }

  /** The record of the caller. `token`: that of its session, if it has one. */
  async show(keyId: string, token: string | undefined): Promise<SessionRecord> {
    const session = token === undefined ? undefined : await this.sessions.find(token);
    const key = await this.keys.load(keyId);
    const proof = session && proofByHash(key, session.secretHash, this.clock.now());
    // The session, or the last access key of the application, has ended since the guard checked it.
    if (!key || key.secrets.length === 0 || (token !== undefined && !proof)) throw new Unauthenticated();
    const untilMs = Math.max(...key.secrets.map((secret) => secret.untilMs ?? Infinity));
    return this.recordOf({ key, proof: proof ?? { hash: '', untilMs } }, session?.expiresAt.getTime() ?? Infinity);
  }

  private async recordOf({ key, proof }: VerifiedKey, endMs: number): Promise<SessionRecord> {
    const { accountId, keyId, permissions, deviceGroups } = key;
    const { manager } = this.database;
    const [account, apiKey, user] = await Promise.all([
      manager.findOneByOrFail(Account, { id: accountId }),
      manager.findOneBy(ApiKey, { id: keyId }),
      manager.findOneBy(User, { id: keyId }),
    ]);
    const named = apiKey ?? user ?? (await manager.findOneByOrFail(Application, { id: keyId }));
    const expiresMs = Math.min(endMs, proof.untilMs ?? Infinity);
    return {
      object: 'session',
      account_id: accountId,
      account_name: account.displayName,
      signed_in_with: user ? 'oidc' : 'api_key',
      subject: { type: typeOf(named), id: keyId, name: named.name },
      permissions: [...permissions] as SessionRecord['permissions'],
      device_groups: deviceGroups ? [...deviceGroups] : null,
      expires_at: expiresMs === Infinity ? null : formatTimestamp(expiresMs),
    };
  }
}
