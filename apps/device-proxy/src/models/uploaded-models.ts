import { type Actor, DeviceModelSchema, DeviceModels, modelKey } from '@lanyard/contracts';
import { AuditTrail, causedBy, Outbox } from '@lanyard/kafka';
import { Malformed, parseDefinition } from '@lanyard/lwm2m';
import {
  type Clock,
  CLOCK,
  FairQueue,
  pageOfRows,
  formatTimestamp,
  isId,
  type ListEnvelope,
  listEnvelope,
  type ListQuery,
  newId,
  withinPage,
} from '@lanyard/service';
import { DataSource, type EntityManager, In } from 'typeorm';
import { z } from 'zod';
import { Inject, Injectable } from '@nestjs/common';
import { CoreObject, MalformedDefinition, ModelExists, ModelNotFound, TooManyModels } from '../errors.js';
import { UploadedModel } from './uploaded-model.entity.js';

/** Definitions per account; every replica keeps all of them in memory. */
export const modelsPerAccountMax = 200;

/** Objects 0 to 7 are defined by LwM2M itself (LwM2M 1.1 core appendix E). */
const coreObjectMax = 7;

export const ModelRecordSchema = z
  .object({
    id: z.string(),
    object: z.literal('object-model'),
    object_id: z.number().int(),
    name: z.string(),
    version: z.string(),
    resources: DeviceModelSchema.shape.resources,
    created_at: z.string(),
  })
  .meta({ id: 'ObjectModel' });
export type ModelRecord = z.infer<typeof ModelRecordSchema>;

const recordOf = ({ id, objectId, name, version, resources, createdAt }: UploadedModel): ModelRecord => ({
  id,
  object: 'object-model',
  object_id: objectId,
  name,
  version,
  resources,
  created_at: formatTimestamp(createdAt),
});

export const modelsSpec = {
  filters: { object_id: 'number', name: 'text', version: 'text' },
  defaultOrder: 'ASC',
} as const;

const read = (xml: string): ReturnType<typeof parseDefinition> => {
  try {
    return parseDefinition(xml);
  } catch (error) {
    if (error instanceof Malformed) throw new MalformedDefinition(error.message);
    throw error;
  }
};

/** Object definitions that accounts upload. A change is announced in its transaction, and so reaches all replicas. */
@Injectable()
export class UploadedModels {
  constructor(
    private readonly dataSource: DataSource,
    private readonly outbox: Outbox,
    private readonly audit: AuditTrail,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Throws MalformedDefinition, CoreObject, ModelExists, TooManyModels. */
  async create(actor: Actor, xml: string): Promise<ModelRecord> {
    const { accountId } = actor;
    const { object: objectId, name, version, resources } = read(xml);
    if (objectId <= coreObjectMax) throw new CoreObject(objectId);
    const nowMs = this.clock.now();
    const row: UploadedModel = {
      id: newId(nowMs),
      accountId,
      objectId,
      name,
      version,
      resources: [...resources].map(([id, model]) => ({ id, ...model })),
      createdAt: new Date(nowMs),
    };
    await this.changeSerially(actor, async (manager) => {
      const known = await manager.find(UploadedModel, {
        where: { accountId },
        select: { objectId: true, version: true },
      });
      if (known.some((one) => one.objectId === objectId && one.version === version))
        throw new ModelExists(objectId, version);
      if (known.length >= modelsPerAccountMax) throw new TooManyModels(modelsPerAccountMax);
      await manager.insert(UploadedModel, row);
      const { resources: described } = row;
      const changedAt = formatTimestamp(nowMs);
      const fact = { accountId, object: objectId, name, version, resources: described, changedAt };
      await this.outbox.append(manager, DeviceModels, fact);
      await this.record(manager, 'SYS_571', actor, row);
    });
    return recordOf(row);
  }

  list(accountId: string, query: ListQuery): Promise<ListEnvelope<ModelRecord>> {
    return FairQueue.at(this.dataSource).run(accountId, () => this.page(accountId, query));
  }

  private async page(accountId: string, query: ListQuery): Promise<ListEnvelope<ModelRecord>> {
    const { manager } = this.dataSource;
    const selected = 't.id, octet_length(t.resources::text) AS bytes';
    const source = { selected, from: 'object_models t', where: 't.account_id = $1', parameters: [accountId] };
    const { rows, total } = await pageOfRows<{ id: string; bytes: number }>(manager, source, query);
    const shown = withinPage(rows.slice(0, query.limit));
    const where = { id: In(shown.map((row) => row.id)) };
    const models = await manager.find(UploadedModel, { where, order: { id: query.order } });
    const hasMore = rows.length > shown.length;
    // All were deleted between the two statements. Clients continue after the last item of a page, so it needs one.
    if (models.length === 0 && hasMore) return this.page(accountId, query);
    return listEnvelope(models.map(recordOf), query, total, hasMore);
  }

  async get(accountId: string, id: string): Promise<ModelRecord> {
    const model = isId(id) ? await this.dataSource.manager.findOneBy(UploadedModel, { accountId, id }) : null;
    if (!model) throw new ModelNotFound();
    return recordOf(model);
  }

  async remove(actor: Actor, id: string): Promise<void> {
    const { accountId } = actor;
    await this.changeSerially(actor, async (manager) => {
      const model = isId(id) ? await manager.findOneBy(UploadedModel, { accountId, id }) : null;
      if (!model) throw new ModelNotFound();
      await manager.delete(UploadedModel, { id });
      await this.outbox.appendTombstone(manager, DeviceModels, modelKey(accountId, model.objectId, model.version));
      await this.record(manager, 'SYS_572', actor, model);
    });
  }

  private async record(
    manager: EntityManager,
    action: 'SYS_571' | 'SYS_572',
    actor: Actor,
    { id, name, accountId, objectId, version }: UploadedModel,
  ): Promise<void> {
    const target = { kind: 'object-model', id, name };
    const entry = { accountId, actor, target, data: { object_id: String(objectId), version } };
    await this.audit.record(manager, action, entry, new Date(this.clock.now()));
  }

  /** Serialises the changes of an account, which gives its announcements an order. */
  private changeSerially(
    { accountId, requestId }: Actor,
    work: (manager: EntityManager) => Promise<void>,
  ): Promise<void> {
    return this.dataSource.transaction(async (manager) => {
      causedBy(manager, requestId);
      await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 1))', [accountId]);
      await work(manager);
    });
  }
}
