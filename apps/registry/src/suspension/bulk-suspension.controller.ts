import { CurrentRequest, type Identity, Operation, type RequestContext, RequiresPermission } from '@lanyard/service';
import { Body, Controller, Post } from '@nestjs/common';
import { ApiGatewayTimeoutResponse, ApiNotFoundResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { SelectionMissing } from '../errors.js';
import { GroupsService } from '../groups/groups.service.js';
import { filtersOf } from '../queries/queries.service.js';
import { BulkSuspensionService } from './bulk-suspension.service.js';
import { SuspensionReason } from './categories.js';

export const BulkSuspension = z
  .strictObject({
    action: z.enum(['suspend', 'resume']),
    ...SuspensionReason.shape,
    group_id: z.string().optional().describe('Selects the devices of this device group'),
    filter: z
      .string()
      .min(1)
      .max(4_000)
      .optional()
      .describe('Selects the devices that match these filters of the device list'),
    dry_run: z.boolean().optional().describe('Counts the devices without changing them'),
    after: z
      .string()
      .regex(/^[0-9a-f]{32}$/)
      .optional()
      .describe('`after` of the previous response, while `has_more` is true'),
  })
  .meta({
    id: 'BulkSuspension',
    examples: [{ action: 'suspend', category: 'maintenance', filter: 'endpoint_type=thermometer', dry_run: true }],
  });

type BulkSuspension = z.infer<typeof BulkSuspension>;

export const BulkSuspensionOutcome = z
  .object({
    object: z.literal('device-suspension'),
    action: z.enum(['suspend', 'resume']),
    dry_run: z.boolean(),
    matched_count: z.number().int(),
    changed_count: z
      .number()
      .int()
      .describe('Number of devices that were changed; the others already had the wanted state'),
    after: z.string().nullable(),
    has_more: z.boolean().describe('More devices remain: call again with `after`. One call covers 5,000 devices'),
  })
  .meta({ id: 'BulkSuspensionOutcome' });

type BulkSuspensionOutcome = z.infer<typeof BulkSuspensionOutcome>;

@ApiTags('Suspension')
@RequiresPermission('devices.suspend')
@Controller('v3/device-suspensions')
export class BulkSuspensionController {
  constructor(
    private readonly bulk: BulkSuspensionService,
    private readonly groups: GroupsService,
  ) {}

  @Post()
  @Operation({
    summary: 'Suspend or resume many devices',
    description: 'Idempotent: devices that already have the wanted state are not touched. `dry_run` only counts.',
    ok: BulkSuspensionOutcome,
  })
  @ApiNotFoundResponse({ description: 'The account has no such device group' })
  @ApiGatewayTimeoutResponse({
    description:
      'The database query timed out: use a narrower filter. Devices that were already changed keep their new state',
  })
  async run(
    @CurrentRequest() { caller }: RequestContext,
    @Body({ schema: BulkSuspension }) body: BulkSuspension,
  ): Promise<BulkSuspensionOutcome> {
    const { action, category, description, dry_run: dryRun = false } = body;
    const selection = await this.selectionOf(caller, body);
    const change = { selection, action, reason: { category, description } };
    const { matched, changed, after, hasMore } = await (dryRun
      ? this.bulk.preview(caller, change)
      : this.bulk.run(caller, change));
    return {
      object: 'device-suspension',
      action,
      dry_run: dryRun,
      matched_count: matched,
      changed_count: changed,
      after,
      has_more: hasMore,
    };
  }

  private async selectionOf(caller: Identity, { group_id: groupId, filter, after }: BulkSuspension) {
    const filters = filter === undefined ? [] : filtersOf(filter);
    // A query such as `&` has no filter: it would select every device of the account.
    if (groupId === undefined && filters.length === 0) throw new SelectionMissing();
    if (groupId !== undefined) await this.groups.mustBeVisible(caller, groupId);
    return {
      filters,
      ...(filter !== undefined && { filter }),
      ...(groupId !== undefined && { groupId }),
      ...(after !== undefined && { after }),
    };
  }
}
