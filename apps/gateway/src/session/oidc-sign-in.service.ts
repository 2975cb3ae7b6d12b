import { CLOCK, type Clock } from '@lanyard/service';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { UsersService } from '../access/users.service.js';
import type { Source } from '../authentication/client-address.js';
import { KnownKeys } from '../authentication/known-keys.js';
import { Refusals } from '../authentication/refusals.js';
import { SessionAuthenticator } from '../authentication/session-authenticator.js';
import type { KeepToken, Renewal } from '../authentication/sessions.js';
import { KeyGroup } from '../db/key-group.entity.js';
import type { Session } from '../db/session.entity.js';
import { User } from '../db/user.entity.js';
import {
  AccountSuspended,
  DeviceGrantPending,
  NoRole,
  RoleIncomplete,
  SignInFailed,
  UserInactive,
  UserNotFound,
} from '../errors.js';
import { type Grant, OidcProvider } from './oidc-provider.js';
import { emailIn, nameIn, rolesIn } from './oidc-roles.js';
import type { SessionRecord } from './session-record.js';
import { SessionRecordsService } from './session-records.service.js';

/** Shortest time between renewals, also with a provider whose grants are valid for less. */
const renewalMinMs = 60_000;

/** Whether the provider or the roles of the person refuse the sign-in; a missing or pending answer is no refusal. */
const isRefusal = (error: unknown): boolean =>
  error instanceof SignInFailed ||
  error instanceof NoRole ||
  error instanceof RoleIncomplete ||
  (error instanceof DeviceGrantPending && error.code === 'access_denied');

/** Creates users and sessions from what the provider says. */
@Injectable()
export class OidcSignInService implements OnModuleInit {
  constructor(
    private readonly database: DataSource,
    private readonly provider: OidcProvider,
    private readonly users: UsersService,
    private readonly keys: KnownKeys,
    private readonly records: SessionRecordsService,
    private readonly authenticator: SessionAuthenticator,
    private readonly refusals: Refusals,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.authenticator.renewal = (session, refreshToken, keep) => this.renew(session, refreshToken, keep);
  }

  /** `ask` redeems what the provider gave. Throws what `ask` throws, and NoRole, RoleIncomplete, UserInactive, AccountSuspended. */
  async open(
    ask: () => Promise<Grant>,
    from: Source,
    former?: string,
  ): Promise<{ record: SessionRecord; token: string }> {
    const [grant, user] = await this.askFor(ask, from.requestId).catch((error: unknown) => {
      if (isRefusal(error)) this.recordRefusal(from);
      throw error;
    });
    const key = await this.keys.load(user.id);
    if (!key?.active || !key.accountActive) {
      this.refusals.recordRefusal({ kind: 'unauthenticated', accountId: user.accountId, keyId: user.id, ...from });
      throw key?.accountActive === false ? new AccountSuspended() : new UserInactive();
    }
    const expiry = grant.refreshToken === undefined && { expiresByMs: this.clock.now() + grant.seconds * 1_000 };
    const whose = { key, proof: { hash: user.hash } };
    return this.records.open(whose, from, { ...expiry, renewal: this.renewalOf(grant), former });
  }

  /** A sign-in that led to no user belongs to no account but that of the installation. */
  recordRefusal(from: Source): void {
    this.refusals.recordRefusal({ kind: 'unauthenticated', accountId: undefined, ...from });
  }

  private async askFor(ask: () => Promise<Grant>, requestId: string): Promise<[Grant, User]> {
    const grant = await ask();
    return [grant, await this.userOf(grant, requestId)];
  }

  /**
   * Asks the provider with the refresh token, and updates the user, whose roles may have changed. undefined: the
   * session ends. Throws ProviderUnavailable.
   */
  private async renew({ principalId }: Session, refreshToken: string, keep: KeepToken): Promise<Renewal | undefined> {
    const user = await this.database.manager.findOneBy(User, { id: principalId });
    if (!user) return undefined;
    try {
      const grant = await this.provider.refresh(refreshToken, user.subject, keep);
      await this.userOf(grant, '', principalId);
      const renewed = { ...grant, refreshToken: grant.refreshToken ?? refreshToken };
      return this.renewalOf(renewed);
    } catch (error) {
      if (isRefusal(error) || error instanceof UserNotFound) return undefined;
      throw error;
    }
  }

  private renewalOf({ refreshToken, seconds }: Grant): Renewal | undefined {
    if (refreshToken === undefined) return undefined;
    return { refreshToken, atMs: this.clock.now() + Math.max(renewalMinMs, seconds * 1_000) };
  }

  /**
   * A person belongs to one account: with roles of several accounts, a sign-in could be for any of them. A key group that is
   * missing may be the one that limits the others to device groups.
   */
  private async userOf({ subject, claims }: Grant, requestId: string, renewedId?: string): Promise<User> {
    const { roles, rolesClaim, issuer } = this.provider.settings;
    const ids = new Set(rolesIn(claims, rolesClaim).flatMap((role) => roles.get(role) ?? []));
    const groups = await this.database.manager.findBy(KeyGroup, { id: In([...ids]) });
    if (groups.length < ids.size) throw new RoleIncomplete();
    if (new Set(groups.map(({ accountId }) => accountId)).size !== 1) throw new NoRole();
    const person = { issuer: issuer.href, subject, name: nameIn(claims), email: emailIn(claims), groups };
    return this.users.createOrUpdate(person, requestId, renewedId);
  }
}
