import type { OperatorAction } from '@lanyard/contracts';
import { AuditTrail } from '@lanyard/kafka';
import {
  type AccessScope,
  changesOf,
  countOf,
  fairPageOf,
  FairQueue,
  type Identity,
  insertRow,
  isId,
  isUniqueViolation,
  type ListEnvelope,
  type ListQuery,
  mustMatch,
  newId,
  readDate,
  ValidationFailed,
} from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { DataSource, type EntityManager } from 'typeorm';
import { CampaignNameTaken, CampaignNotFound, TooManyCampaigns, WrongState } from '../errors.js';
import type { Image } from '../images/image-fields.js';
import { ImagesService } from '../images/images.service.js';
import { openCampaignsMax } from '../limits.js';
import {
  alwaysChangeable,
  type CampaignChanges,
  changeable,
  columnsOfFields,
  endOf,
  type NewCampaign,
} from './campaign-fields.js';
import { type Campaign, campaignColumns, campaignRecord, type CampaignState } from './campaign-record.js';

/** First half of an advisory lock's key: campaigns of an account are created one after the other. */
const lockSpace = 0x0b22;

const isEnded = ({ state }: Pick<Campaign, 'state'>): boolean => state === 'done' || state === 'aborted';

/** Throws ValidationFailed. A filter alone would select devices that the caller may not see. */
const mustStayWithin = ({ deviceGroups }: AccessScope, groupId: string | null): void => {
  if (!deviceGroups || (groupId !== null && deviceGroups.includes(groupId))) return;
  const message = 'Must be one of the device groups that the key is limited to';
  throw new ValidationFailed([{ name: 'group_id', message }]);
};

/** Read-only members that a selection changes while it runs: a client may send back an outdated value. */
const volatileMembers = ['dry_run', 'reason'];

const times = ['when', 'ends_at'];

/** A time as the record has it, whatever form it was sent in. */
const asRecorded = (name: string, value: unknown): unknown =>
  times.includes(name) && typeof value === 'string' ? readDate(value) : value;

/** Without the fields that keep their values: clients send whole records back. Throws ValidationFailed. */
const realChanges = (body: CampaignChanges, campaign: Campaign): Partial<NewCampaign> => {
  const changes = Object.entries(changesOf(body as Record<string, unknown>, changeable, campaign, volatileMembers));
  return Object.fromEntries(
    changes.filter(([name, value]) => !isDeepStrictEqual(asRecorded(name, value), campaign[name as keyof Campaign])),
  );
};

/** Update campaigns as records. What they do is in `progress/`. */
@Injectable()
export class CampaignsService {
  constructor(
    private readonly database: DataSource,
    private readonly images: ImagesService,
    private readonly audit: AuditTrail,
  ) {}

  list({ accountId, deviceGroups }: AccessScope, query: ListQuery): Promise<ListEnvelope<Campaign>> {
    const source = {
      selected: campaignRecord,
      from: 'campaigns.update_campaigns t',
      columns: campaignColumns,
      where: 't.account_id = $1 AND NOT t.removed AND ($2::text[] IS NULL OR t.group_id = ANY($2))',
      parameters: [accountId, deviceGroups ?? null],
    };
    return fairPageOf(this.database, accountId, source, query);
  }

  async get(
    { accountId, deviceGroups }: AccessScope,
    id: string,
    manager: EntityManager = this.database.manager,
  ): Promise<Campaign> {
    const [found]: Campaign[] = isId(id)
      ? await manager.query(
          `SELECT ${campaignRecord} FROM campaigns.update_campaigns t
           WHERE t.id = $1 AND t.account_id = $2 AND NOT t.removed AND ($3::text[] IS NULL OR t.group_id = ANY($3))`,
          [id, accountId, deviceGroups ?? null],
        )
      : [];
    if (!found) throw new CampaignNotFound();
    return found;
  }

  async create(actor: Identity, { firmware_image_id: imageId, ...fields }: NewCampaign): Promise<Campaign> {
    const { accountId } = actor;
    mustStayWithin(actor, fields.group_id);
    return this.refusingTakenNames(async (manager) => {
      await this.assertRoom(manager, accountId);
      const image = await this.lockImage(manager, accountId, imageId);
      const id = newId();
      await insertRow(manager, 'campaigns.update_campaigns', {
        id,
        account_id: accountId,
        image_id: image.id,
        object: image.package_object,
        package_name: image.package_name,
        version: image.version,
        checksum: image.datafile_checksum,
        size: image.datafile_size,
        ...columnsOfFields(fields),
      });
      const made = await this.get(actor, id, manager);
      await this.record(manager, 'SYS_592', actor, made);
      return made;
    });
  }

  async change(actor: Identity, id: string, body: CampaignChanges, ifMatch?: string): Promise<Campaign> {
    return this.refusingTakenNames((manager) =>
      this.changeState(manager, { actor, action: 'SYS_593', id }, async (campaign) => {
        mustMatch(ifMatch, campaign.etag);
        const changes = realChanges(body, campaign);
        this.refuseLateChanges(campaign, changes);
        if (changes.group_id !== undefined) mustStayWithin(actor, changes.group_id);
        const columns = columnsOfFields(changes);
        // A dry run, finished or not, counted other devices.
        if ('group_id' in changes || 'filter' in changes) Object.assign(columns, { selection_id: null, dry_run: null });
        if (columns['ends_at'] === undefined || campaign.when === null || campaign.state === 'draft') return columns;
        const endsAt = endOf(Date.parse(campaign.when), columns['ends_at'] as string | null);
        if (campaign.started_at === null && endsAt.getTime() <= Date.parse(campaign.when))
          throw new ValidationFailed([{ name: 'ends_at', message: 'Must be after the start' }]);
        return { ...columns, ends_at: endsAt };
      }),
    );
  }

  /** Waits for its turn at the database: up to 100,000 devices are deleted with the campaign. */
  async remove(actor: Identity, id: string, ifMatch?: string): Promise<void> {
    await FairQueue.at(this.database).run(actor.accountId, () =>
      this.database.transaction((manager) => this.removeWith(manager, actor, id, ifMatch)),
    );
  }

  private async removeWith(manager: EntityManager, actor: Identity, id: string, ifMatch?: string): Promise<void> {
    const campaign = await this.lock(manager, actor, id);
    mustMatch(ifMatch, campaign.etag);
    if (campaign.state !== 'draft' && !isEnded(campaign))
      throw new WrongState(campaign.state, ['draft', 'done', 'aborted']);
    await manager.query('DELETE FROM campaigns.update_campaigns WHERE id = $1', [id]);
    await this.record(manager, 'SYS_598', actor, campaign);
  }

  /** Changes a campaign in a transaction of its own. `columnsFor` throws WrongState where the state forbids it. */
  transition(
    actor: Identity,
    action: OperatorAction,
    id: string,
    columnsFor: (campaign: Campaign, manager: EntityManager) => Promise<Record<string, unknown>>,
  ): Promise<Campaign> {
    return this.database.transaction((manager) => this.changeState(manager, { actor, action, id }, columnsFor));
  }

  /** Locks the campaign against every other change until the transaction ends. */
  async lock(manager: EntityManager, scope: AccessScope, id: string): Promise<Campaign> {
    const sql = 'SELECT 1 FROM campaigns.update_campaigns WHERE id = $1 AND account_id = $2 FOR UPDATE';
    if (isId(id)) await manager.query(sql, [id, scope.accountId]);
    return this.get(scope, id, manager);
  }

  /** Locks the campaign, changes the columns, makes its turn due, and records the action in the event log. */
  private async changeState(
    manager: EntityManager,
    { actor, action, id }: { actor: Identity; action: OperatorAction; id: string },
    columnsFor: (campaign: Campaign, manager: EntityManager) => Promise<Record<string, unknown>>,
  ): Promise<Campaign> {
    const before = await this.lock(manager, actor, id);
    const columns = Object.entries(await columnsFor(before, manager));
    await manager.query(
      `UPDATE campaigns.update_campaigns SET ${columns.map(([name], i) => `${name} = $${i + 2}, `).join('')}
       updated_at = clock_timestamp(), tick_at = now() WHERE id = $1`,
      [id, ...columns.map(([, value]) => value)],
    );
    const changed = await this.get(actor, id, manager);
    await this.record(manager, action, actor, changed);
    return changed;
  }

  private refuseLateChanges(campaign: Campaign, changes: object): void {
    if (isEnded(campaign)) throw new WrongState(campaign.state, ['draft', 'scheduled', 'running', 'paused']);
    if (campaign.state === 'draft') return;
    const late = Object.keys(changes).filter((name) => !alwaysChangeable.includes(name));
    if (late.length > 0)
      throw new ValidationFailed(late.map((name) => ({ name, message: 'Can be changed in a draft only' })));
  }

  /** The package, locked against deletion until the transaction ends. */
  private async lockImage(manager: EntityManager, accountId: string, id: string): Promise<Image> {
    const sql = 'SELECT 1 FROM campaigns.firmware_images WHERE id = $1 AND account_id = $2 FOR SHARE';
    if (isId(id)) await manager.query(sql, [id, accountId]);
    return this.images.get(accountId, id, manager);
  }

  private async assertRoom(manager: EntityManager, accountId: string): Promise<void> {
    await manager.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [lockSpace, accountId]);
    const open = `campaigns.update_campaigns WHERE account_id = $1 AND state NOT IN ('done', 'aborted')`;
    if ((await countOf(manager, open, [accountId])) >= openCampaignsMax) throw new TooManyCampaigns(openCampaignsMax);
  }

  private async refusingTakenNames<T>(write: (manager: EntityManager) => Promise<T>): Promise<T> {
    try {
      return await this.database.transaction(write);
    } catch (error) {
      throw isUniqueViolation(error) ? new CampaignNameTaken() : error;
    }
  }

  private async record(
    manager: EntityManager,
    action: OperatorAction,
    actor: Identity,
    { id, name, state, firmware_image_id: imageId }: Campaign,
  ): Promise<void> {
    const target = { kind: 'update-campaign', id, name };
    const data = { state: state satisfies CampaignState, firmware_image_id: imageId };
    await this.audit.record(manager, action, { accountId: actor.accountId, actor, target, data });
  }
}
