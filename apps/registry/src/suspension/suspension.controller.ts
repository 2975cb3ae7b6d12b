import { suspensionCategories } from '@lanyard/contracts';
import {
  CurrentRequest,
  ListParameters,
  type ListRequest,
  listSchema,
  type ListSpec,
  Operation,
  pageOfConstants,
  type RequestContext,
  RequiresPermission,
} from '@lanyard/service';
import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CategoryNotFound } from '../errors.js';
import { blockCategories, BlockCategory, SuspensionReason } from './categories.js';
import { SuspensionService } from './suspension.service.js';

@ApiTags('Suspension')
@RequiresPermission('devices.suspend')
@Controller('v3/devices/:id')
export class SuspensionController {
  constructor(private readonly suspensions: SuspensionService) {}

  @Post('suspend')
  @Operation({
    summary: 'Suspend a device',
    description:
      'The call may be repeated: another category or description replaces the stored one, and the same values change nothing.',
  })
  suspend(
    @CurrentRequest() { caller, id }: RequestContext,
    @Body({ schema: SuspensionReason }) reason: SuspensionReason,
  ) {
    return this.suspensions.suspend(caller.accountId, id, reason, caller);
  }

  @Post('resume')
  @Operation({
    summary: 'Resume a device',
    description:
      'The device may connect again; its own back-off determines how soon it does. Repeating the call changes nothing. `category` is required, and may differ from that of the suspension.',
  })
  resume(
    @CurrentRequest() { caller, id }: RequestContext,
    @Body({ schema: SuspensionReason }) reason: SuspensionReason,
  ) {
    return this.suspensions.resume(caller.accountId, id, reason, caller);
  }
}

const categoryListSpec: ListSpec = {
  filters: { reference: 'text', updated_at: 'date' },
  sets: { reference: suspensionCategories },
  cursor: new RegExp(`^(${suspensionCategories.join('|')})$`),
};

@ApiTags('Suspension')
@RequiresPermission('devices.read')
@Controller('v3/device-block-categories')
export class BlockCategoriesController {
  @Get()
  @Operation({
    summary: 'List the suspension categories',
    description: 'Lists the values that `category` of suspend and resume accepts (spec §2.3).',
    ok: listSchema(BlockCategory, 'DeviceBlockCategoryList'),
  })
  list(@ListParameters(categoryListSpec, 'DeviceBlockCategoryFilters') query: ListRequest) {
    return pageOfConstants(blockCategories, query, ({ reference }) => reference);
  }

  @Get(':reference')
  @Operation({
    summary: 'Show a suspension category',
    description: 'Finds the category by its reference, for example `maintenance`.',
    ok: BlockCategory,
  })
  get(@Param('reference') reference: string) {
    const category = blockCategories.find((c) => c.reference === reference);
    if (!category) throw new CategoryNotFound();
    return category;
  }
}
