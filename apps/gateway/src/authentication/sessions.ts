import { CLOCK, type Clock, CONFIG, deriveKey, open, seal, setBounded } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, LessThanOrEqual } from 'typeorm';
import type { GatewayConfig } from '../config.js';
import { Session } from '../db/session.entity.js';
import { newSessionToken, sessionIdOf } from './session-cookie.js';

/** How old `last_used_at` may become, so that not every request writes. */
const touchMs = 60_000;

/** Sessions of one key at a time; the next sign-in ends the oldest. */
export const sessionsPerPrincipalMax = 100;

/** Number of remembered ids of sessions that existed when they were last read. */
const knownMax = 50_000;

/** A replica that is killed while it asks the provider delays the renewal by this time, which is longer than the provider may take. */
const askingMaxMs = 60_000;

/** After a renewal without an answer, the provider is not asked again for this time: it may be overloaded. */
export const renewalPauseMs = 5_000;

const endedSql = `
  DELETE FROM sessions WHERE expires_at < LEAST($1::timestamptz, now())
    OR last_used_at < LEAST($1::timestamptz, now()) - make_interval(secs => $2)`;

/** What to ask the OpenID provider, and when. */
export interface Renewal {
  refreshToken: string;
  atMs: number;
}

export interface NewSession extends Pick<Session, 'accountId' | 'principalId' | 'secretHash'> {
  /** The session ends no later than this. */
  expiresByMs?: number;
  renewal?: Renewal | undefined;
}

/** The refresh token can be used only with the cookie: the database alone does not reveal it. */
const keyFor = (token: string): Buffer => deriveKey(Buffer.from(token), 'refresh token');

const renewalColumns = (token: string, renewal?: Renewal): Pick<Session, 'refreshToken' | 'refreshAt'> =>
  renewal
    ? { refreshToken: seal(keyFor(token), renewal.refreshToken), refreshAt: new Date(renewal.atMs) }
    : { refreshToken: null, refreshAt: null };

/** Stores the next refresh token at once: the provider may accept no other any more, whatever fails afterwards. */
export type KeepToken = (refreshToken: string) => Promise<void>;

/** Asks the provider. undefined: the person is not signed in any more. */
export type Renew = (session: Session, refreshToken: string, keep: KeepToken) => Promise<Renewal | undefined>;

/**
 * Sessions of browsers, in PostgreSQL. Every request reads its session: people send few, and a session that ends on one
 * replica has ended on all.
 */
@Injectable()
export class Sessions {
  private readonly known = new Map<string, true>();
  /** Renewals under way, and those that failed a moment ago, by the id of the session. */
  private readonly renewals = new Map<string, Promise<boolean>>();
  private readonly bounds: GatewayConfig['sessions'];

  constructor(
    private readonly database: DataSource,
    @Inject(CONFIG) { sessions }: GatewayConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.bounds = sessions;
  }

  /** Whether a token is no guess: it was right when it was last read. */
  isKnown(token: string): boolean {
    return this.known.has(sessionIdOf(token));
  }

  /** A new session, and the token of its cookie, which is not stored. `record` runs in the transaction. */
  async open(
    wanted: NewSession,
    record: (manager: EntityManager) => Promise<void>,
  ): Promise<{ session: Session; token: string }> {
    const token = newSessionToken();
    const now = this.clock.now();
    const { expiresByMs = Infinity, renewal, ...whose } = wanted;
    const session = this.database.manager.create(Session, {
      ...whose,
      ...renewalColumns(token, renewal),
      id: sessionIdOf(token),
      createdAt: new Date(now),
      lastUsedAt: new Date(now),
      expiresAt: new Date(Math.min(now + this.bounds.maxMs, expiresByMs)),
    });
    await this.database.transaction(async (manager) => {
      await manager.insert(Session, session);
      await manager.query(
        'DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE holder_id = $1 ORDER BY created_at DESC, id OFFSET $2)',
        [wanted.principalId, sessionsPerPrincipalMax],
      );
      await record(manager);
    });
    setBounded(this.known, session.id, true, knownMax);
    return { session, token };
  }

  /** The session of the token, which has been used now; undefined if there is none or it has ended. */
  async find(token: string): Promise<Session | undefined> {
    const id = sessionIdOf(token);
    const session = await this.database.manager.findOneBy(Session, { id });
    const now = this.clock.now();
    if (!session || session.expiresAt.getTime() <= now || session.lastUsedAt.getTime() + this.bounds.idleMs <= now) {
      this.known.delete(id);
      return undefined;
    }
    setBounded(this.known, id, true, knownMax);
    if (session.lastUsedAt.getTime() + touchMs <= now)
      await this.database.manager.update(Session, { id }, { lastUsedAt: new Date(now) });
    return session;
  }

  /**
   * Asks the provider, with one request at a time over all replicas: a refresh token is often valid only once. The request that
   * postpones the renewal asks the provider, and holds no connection of the pool meanwhile, because sessions that are due
   * together would use up all of them. Other requests of this replica wait for the answer; those of other replicas are admitted
   * until then. False: the session has ended. Rejects when the provider does not answer, and then for `renewalPauseMs`.
   */
  renew(session: Session, token: string, renew: Renew): Promise<boolean> {
    const { id } = session;
    const before = this.renewals.get(id);
    if (before) return before;
    const renewing = this.renewOnce(session, token, renew);
    this.renewals.set(id, renewing);
    const forget = (): void => void this.renewals.delete(id);
    renewing.then(forget, () => this.clock.after(renewalPauseMs, forget));
    return renewing;
  }

  private async renewOnce({ id }: Session, token: string, renew: Renew): Promise<boolean> {
    const { manager } = this.database;
    const due = new Date(this.clock.now());
    const postponed = new Date(due.getTime() + askingMaxMs);
    const { affected } = await manager.update(
      Session,
      { id, refreshAt: LessThanOrEqual(due) },
      { refreshAt: postponed },
    );
    // Read after the update: another replica may have stored a new refresh token.
    const session = await manager.findOneBy(Session, { id });
    if (!session || affected !== 1) return session !== null;
    const keep: KeepToken = async (next) => {
      await manager.update(Session, { id }, { refreshToken: seal(keyFor(token), next) });
    };
    try {
      const renewal = await renew(session, open(keyFor(token), session.refreshToken ?? ''), keep);
      if (!renewal) await this.endSession(token);
      // The person may have signed out meanwhile.
      else return (await manager.update(Session, { id }, renewalColumns(token, renewal))).affected === 1;
      return false;
    } catch (error) {
      await manager.update(Session, { id }, { refreshAt: due });
      throw error;
    }
  }

  /** False if there is none. */
  async endSession(token: string): Promise<boolean> {
    const id = sessionIdOf(token);
    this.known.delete(id);
    return (await this.database.manager.delete(Session, { id })).affected === 1;
  }

  /** Deletes the sessions that ended by time. PostgreSQL has to agree: a replica with a fast clock must not sign everyone out. */
  async deleteEnded(): Promise<void> {
    await this.database.query(endedSql, [new Date(this.clock.now()), this.bounds.idleMs / 1_000]);
  }
}
