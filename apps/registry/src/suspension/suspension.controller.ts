import { suspensionCategories } from '@lanyard/contracts';
import {
  ApiListQuery,
  Caller,
  type Filter,
  type Identity,
  listEnvelope,
  type ListEnvelope,
  listSchema,
  type ListSpec,
  parseListQuery,
  type QueryParameters,
  RequiresPermission,
} from '@lanyard/service';
import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { CategoryNotFound } from '../errors.js';
import { blockCategories, type BlockCategory } from './categories.js';
import { SuspensionService } from './suspension.service.js';

export const SuspensionReasonSchema = z
  .strictObject({
    category: z.enum(suspensionCategories, `Required: one of ${suspensionCategories.join(', ')}`),
    description: z.string().max(2000).optional(),
  })
  .meta({ id: 'SuspensionReason' });

type SuspensionReason = z.infer<typeof SuspensionReasonSchema>;

export const BlockCategorySchema = z
  .object({
    object: z.literal('device-block-category'),
    reference: z.enum(suspensionCategories),
    description: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: 'DeviceBlockCategory' });

@ApiTags('Suspension')
@RequiresPermission('devices.suspend')
@Controller('v3/devices/:id')
export class SuspensionController {
  constructor(private readonly suspensions: SuspensionService) {}

  @Post('suspend')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Suspend a device',
    description:
      'Idempotent: repeating the call with another category or description stores these; with the same values it changes nothing.',
  })
  @ApiNoContentResponse()
  suspend(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Body({ schema: SuspensionReasonSchema }) reason: SuspensionReason,
  ): Promise<void> {
    return this.suspensions.suspend(caller.accountId, id, reason, caller);
  }

  @Post('resume')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Resume a device',
    description:
      'The device may connect again; its own back-off determines how soon it does. Repeating the call changes nothing. `category` is required, and may differ from that of the suspension.',
  })
  @ApiNoContentResponse()
  resume(
    @Caller() caller: Identity,
    @Param('id') id: string,
    @Body({ schema: SuspensionReasonSchema }) reason: SuspensionReason,
  ): Promise<void> {
    return this.suspensions.resume(caller.accountId, id, reason, caller);
  }
}

const categoryListSpec: ListSpec = {
  filters: { reference: 'text', updated_at: 'date' },
  sets: { reference: suspensionCategories },
  cursor: new RegExp(`^(${suspensionCategories.join('|')})$`),
};

const matches = (category: BlockCategory, { field, operator, values }: Filter): boolean => {
  // Times have one form, in records and in filters: their texts are in their order.
  const value = field === 'updated_at' ? category.updated_at : category.reference;
  const [first = ''] = values as string[];
  return {
    eq: value === first,
    neq: value !== first,
    in: values.includes(value),
    nin: !values.includes(value),
    lte: value <= first,
    gte: value >= first,
  }[operator];
};

/** The values that suspend and resume accept. */
@ApiTags('Suspension')
@RequiresPermission('devices.read')
@Controller('v3/device-block-categories')
export class BlockCategoriesController {
  @Get()
  @ApiOperation({
    summary: 'List the suspension categories',
    description: 'The values that `category` of suspend and resume accepts (spec §2.3).',
  })
  @ApiListQuery(categoryListSpec, 'DeviceBlockCategoryFilters')
  @ApiOkResponse({ standardSchema: listSchema(BlockCategorySchema, 'DeviceBlockCategoryList') })
  list(@Query() query: QueryParameters): ListEnvelope<BlockCategory> {
    const wanted = parseListQuery(query, categoryListSpec);
    const found = blockCategories.filter((category) => wanted.filters.every((filter) => matches(category, filter)));
    const ordered = wanted.order === 'ASC' ? found : found.toReversed();
    const start = wanted.after === null ? 0 : ordered.findIndex((category) => category.reference === wanted.after) + 1;
    return listEnvelope(
      ordered.slice(start, start + wanted.limit + 1),
      wanted,
      wanted.includeTotal ? found.length : undefined,
    );
  }

  @Get(':reference')
  @ApiOperation({
    summary: 'Show a suspension category',
    description: 'Identified by its reference, for example `maintenance`.',
  })
  @ApiOkResponse({ standardSchema: BlockCategorySchema })
  get(@Param('reference') reference: string): BlockCategory {
    const category = blockCategories.find((c) => c.reference === reference);
    if (!category) throw new CategoryNotFound();
    return category;
  }
}
