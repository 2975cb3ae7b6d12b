import { randomBytes } from 'node:crypto';
import { changesOf, CLOCK, type Clock, newId, type RequestContext } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { KeyGroup } from '../db/key-group.entity.js';
import { User } from '../db/user.entity.js';
import { RoleIncomplete, UserNotFound } from '../errors.js';
import { type AccountTransaction, AccountTransactions } from './account-transactions.js';
import { differences } from './audit-action.js';
import { PrincipalsService } from './principals.service.js';
import { isInExactly, storePrincipal, userOf } from './membership.js';
import { timesOfUse } from './sent-back.js';
import { UserChange, userChanges, userRecord, UserRecord } from './user-record.js';

/** A person, as the OpenID provider describes them. */
export interface Person {
  issuer: string;
  subject: string;
  name: string;
  email: string | null;
  /** Key groups of one account, from the roles of the person. */
  groups: KeyGroup[];
}

/** Random bytes in place of the hash of a secret: no secret has this hash. */
const newHash = (): string => randomBytes(32).toString('hex');

/** The people who have signed in with the OpenID provider. */
@Injectable()
export class UsersService extends PrincipalsService<User, UserRecord> {
  protected readonly record = userRecord;

  constructor(
    database: DataSource,
    transactions: AccountTransactions,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    super(database, transactions, {
      object: 'user',
      entity: User,
      table: 'users',
      idsInGroup: 'SELECT user_id FROM user_groups WHERE group_id = $2',
      columns: { status: 'upper(t.status)' },
      find: userOf,
    });
  }

  async update(context: RequestContext, body: UserChange): Promise<UserRecord> {
    const user = await this.change(context, async (transaction, found) => {
      const before = userRecord(found);
      const { status } = changesOf(body, userChanges, before, timesOfUse);
      if (status !== undefined) found.status = status === 'ACTIVE' ? 'active' : 'inactive';
      // Earlier sessions stay ended when the user is activated again.
      if (status === 'INACTIVE') found.hash = newHash();
      await storePrincipal(transaction, found);
      return { action: 'SYS_505', changes: differences(before, userRecord(found)) };
    });
    return userRecord(user);
  }

  async signOut(context: RequestContext): Promise<void> {
    await this.change(context, async (transaction, found) => {
      found.hash = newHash();
      await storePrincipal(transaction, found);
      return { action: 'SYS_506' };
    });
  }

  /** The next sign-in creates the user again. */
  remove(context: RequestContext): Promise<void> {
    return this.removeWith(context, 'SYS_507');
  }

  /**
   * The user of a person: created at the first sign-in, and updated by each sign-in with other details. `renewedId`: the user whose
   * session is renewed. Throws UserNotFound if this is no longer the user of the person, as a renewal creates none, and
   * RoleIncomplete if one of the key groups was deleted meanwhile.
   */
  async createOrUpdate(person: Person, requestId: string, renewedId?: string): Promise<User> {
    const accountId = (person.groups[0] as KeyGroup).accountId;
    return this.transactions.locked(accountId, async (transaction) => {
      const { issuer, subject } = person;
      const where = { issuer, subject, accountId };
      const found = await transaction.manager.findOne(User, { where, relations: { groups: true } });
      if (renewedId !== undefined && found?.id !== renewedId) throw new UserNotFound();
      if (found && this.isUnchanged(found, person)) return found;
      const user = found ?? this.newUser(transaction, person);
      const before = found ? userRecord(found) : undefined;
      const groups = await this.groupsNow(transaction, person);
      Object.assign(user, { name: person.name, email: person.email, groups });
      await storePrincipal(transaction, user);
      const { tier } = transaction.account;
      const caller = { keyId: user.id, accountId, requestId, groups: [], permissions: [], tier };
      const target = this.targetOf(user);
      const changes = differences(before ?? {}, userRecord(user));
      await transaction.record(caller, { action: before ? 'SYS_505' : 'SYS_504', target, changes });
      return user;
    });
  }

  /** They may have changed while the sign-in waited for its turn, and the user is announced with what they give now. */
  private async groupsNow({ manager, account }: AccountTransaction, { groups }: Person): Promise<KeyGroup[]> {
    const ids = groups.map(({ id }) => id);
    const found = await manager.findBy(KeyGroup, { accountId: account.id, id: In(ids) });
    if (found.length < ids.length) throw new RoleIncomplete();
    return found;
  }

  private isUnchanged(user: User, { name, email, groups }: Person): boolean {
    return (
      user.name === name &&
      user.email === email &&
      isInExactly(
        user,
        groups.map(({ id }) => id),
      )
    );
  }

  private newUser({ manager, now, account }: AccountTransaction, { issuer, subject, name }: Person): User {
    return manager.create(User, {
      id: newId(this.clock.now()),
      accountId: account.id,
      issuer,
      subject,
      name,
      email: null,
      hash: newHash(),
      status: 'active',
      revision: 0,
      createdAt: now,
      updatedAt: now,
      lastUsedAt: null,
      groups: [],
    });
  }
}
