import type { ListEnvelope, ListQuery, RequestContext } from '@lanyard/service';
import { DataSource, type EntityManager, type EntityTarget } from 'typeorm';
import { AccountChanges, type AccountTransaction } from './account-changes.js';
import type { Holder } from './announcements.js';
import { type AuditAction, requireIfMatch } from './audit-action.js';
import { addToGroups, groupsOf, removeFromGroups } from './membership.js';
import { pageOfEntities } from './page-of-entities.js';

export interface HolderKind<H extends Holder> {
  /** The kind's name in the event log. */
  object: string;
  entity: EntityTarget<H>;
  table: string;
  /** SQL of the ids that are in the group $2. */
  idsInGroup: string;
  /** Filter of the list -> SQL, for filters that are not the column of the same name. */
  columns: Record<string, string>;
  /** Throws if the account has none with this id. */
  find(manager: EntityManager, accountId: string, id: string): Promise<H>;
}

/** What keys, applications and users have in common: lists, groups, and how changes are recorded. */
export abstract class HolderRecords<H extends Holder, R> {
  constructor(
    protected readonly database: DataSource,
    protected readonly changes: AccountChanges,
    private readonly kind: HolderKind<H>,
  ) {}

  protected abstract record(holder: H): R;

  /** Lists the records of the account, or of one of its groups. */
  list(accountId: string, query: ListQuery, groupId?: string): Promise<ListEnvelope<R>> {
    const { entity, table, columns, idsInGroup } = this.kind;
    const source = { entity, from: `${table} t`, columns, relations: { groups: true } as never };
    const [where, parameters] =
      groupId === undefined
        ? ['t.account_id = $1', [accountId]]
        : [`t.account_id = $1 AND t.id IN (${idsInGroup})`, [accountId, groupId]];
    return pageOfEntities<H, R>(this.database.manager, { ...source, where, parameters }, query, (holders) =>
      holders.map((holder) => this.record(holder)),
    );
  }

  async get(accountId: string, id: string): Promise<R> {
    return this.record(await this.kind.find(this.database.manager, accountId, id));
  }

  async addGroups(context: RequestContext, groupIds: readonly string[]): Promise<R> {
    const holder = await this.change(context, async (change, found) => {
      await addToGroups(change, [found], await groupsOf(change.manager, context.accountId, groupIds));
      return { action: 'SYS_523', data: { groups: groupIds.join(',') } };
    });
    return this.record(holder);
  }

  async removeGroups(context: RequestContext, groupIds: readonly string[]): Promise<R> {
    const holder = await this.change(context, async (change, found) => {
      await groupsOf(change.manager, context.accountId, groupIds);
      await removeFromGroups(change, [found], groupIds);
      return { action: 'SYS_524', data: { groups: groupIds.join(',') } };
    });
    return this.record(holder);
  }

  /** Announces the end of the holder, and deletes it with what belongs to it. */
  protected async removeWith(context: RequestContext, action: AuditAction['action']): Promise<void> {
    await this.change(context, async ({ manager, now, announce }, holder) => {
      holder.revision += 1;
      holder.updatedAt = now;
      await announce(holder, 'deleted');
      await manager.delete(this.kind.entity, { id: holder.id });
      return { action };
    });
  }

  /**
   * Runs `work` with the holder that the request names, in the transaction of the account, and records the action that
   * `work` returns in the event log; undefined: nothing was done. Throws EtagDiffers, and what `find` throws.
   */
  protected change(
    context: RequestContext,
    work: (change: AccountTransaction, holder: H) => Promise<Omit<AuditAction, 'target'> | undefined>,
  ): Promise<H> {
    return this.changes.run(context, async (change) => {
      const holder = await this.kind.find(change.manager, context.accountId, context.id);
      requireIfMatch(context, holder);
      const audited = await work(change, holder);
      if (audited) await change.record(context.caller, { ...audited, target: this.targetOf(holder) });
      return holder;
    });
  }

  protected targetOf({ id, name }: H): AuditAction['target'] {
    return { kind: this.kind.object, id, name };
  }
}
