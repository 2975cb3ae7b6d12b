import type { ListEnvelope, ListQuery, RequestContext } from '@lanyard/service';
import { DataSource, type EntityManager, type EntityTarget } from 'typeorm';
import { type AccountTransaction, AccountTransactions } from './account-transactions.js';
import type { Principal } from './announcements.js';
import { type AuditAction, requireIfMatch } from './audit-action.js';
import { addToGroups, groupsOf, removeFromGroups } from './membership.js';
import { pageOfEntities } from './page-of-entities.js';

export interface PrincipalKind<P extends Principal> {
  /** The kind's name in the event log. */
  object: string;
  entity: EntityTarget<P>;
  table: string;
  /** SQL of the ids that are in the group $2. */
  idsInGroup: string;
  /** Filter of the list -> SQL, for filters that are not the column of the same name. */
  columns: Record<string, string>;
  /** Throws if the account has none with this id. */
  find(manager: EntityManager, accountId: string, id: string): Promise<P>;
}

/** What keys, applications and users have in common: lists, groups, and how changes are recorded. */
export abstract class PrincipalsService<P extends Principal, R> {
  constructor(
    protected readonly database: DataSource,
    protected readonly transactions: AccountTransactions,
    private readonly kind: PrincipalKind<P>,
  ) {}

  protected abstract record(principal: P): R;

  /** Lists the records of the account, or of one of its groups. */
  list(accountId: string, query: ListQuery, groupId?: string): Promise<ListEnvelope<R>> {
    const { entity, table, columns, idsInGroup } = this.kind;
    const source = { entity, from: `${table} t`, columns, relations: { groups: true } as never };
    const [where, parameters] =
      groupId === undefined
        ? ['t.account_id = $1', [accountId]]
        : [`t.account_id = $1 AND t.id IN (${idsInGroup})`, [accountId, groupId]];
    return pageOfEntities<P, R>(this.database.manager, { ...source, where, parameters }, query, (principals) =>
      principals.map((principal) => this.record(principal)),
    );
  }

  async get(accountId: string, id: string): Promise<R> {
    return this.record(await this.kind.find(this.database.manager, accountId, id));
  }

  async addGroups(context: RequestContext, groupIds: readonly string[]): Promise<R> {
    const principal = await this.change(context, async (transaction, found) => {
      await addToGroups(transaction, [found], await groupsOf(transaction.manager, context.accountId, groupIds));
      return { action: 'SYS_523', data: { groups: groupIds.join(',') } };
    });
    return this.record(principal);
  }

  async removeGroups(context: RequestContext, groupIds: readonly string[]): Promise<R> {
    const principal = await this.change(context, async (transaction, found) => {
      await groupsOf(transaction.manager, context.accountId, groupIds);
      await removeFromGroups(transaction, [found], groupIds);
      return { action: 'SYS_524', data: { groups: groupIds.join(',') } };
    });
    return this.record(principal);
  }

  /** Announces the end of the principal, and deletes it with what belongs to it. */
  protected async removeWith(context: RequestContext, action: AuditAction['action']): Promise<void> {
    await this.change(context, async ({ manager, now, announce }, principal) => {
      principal.revision += 1;
      principal.updatedAt = now;
      await announce(principal, 'deleted');
      await manager.delete(this.kind.entity, { id: principal.id });
      return { action };
    });
  }

  /**
   * Runs `work` with the principal that the request names, in the transaction of the account, and records the action that
   * `work` returns in the event log; undefined: nothing was done. Throws EtagDiffers, and what `find` throws.
   */
  protected change(
    context: RequestContext,
    work: (transaction: AccountTransaction, principal: P) => Promise<Omit<AuditAction, 'target'> | undefined>,
  ): Promise<P> {
    return this.transactions.run(context, async (transaction) => {
      const principal = await this.kind.find(transaction.manager, context.accountId, context.id);
      requireIfMatch(context, principal);
      const audited = await work(transaction, principal);
      if (audited) await transaction.record(context.caller, { ...audited, target: this.targetOf(principal) });
      return principal;
    });
  }

  protected targetOf({ id, name }: P): AuditAction['target'] {
    return { kind: this.kind.object, id, name };
  }
}
