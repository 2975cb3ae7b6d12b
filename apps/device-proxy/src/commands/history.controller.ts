import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import {
  ApiListQuery,
  Caller,
  type Identity,
  type ListEnvelope,
  listSchema,
  parseListQuery,
  type QueryParameters,
  RequiresPermission,
} from '@lanyard/service';
import { CommandQueue } from './command-queue.js';
import { CommandHistory, type CommandRecord, CommandRecordSchema, historySpec } from './history.js';

/** How the caller's own commands ended, also for keys without a channel. */
@ApiTags('Commands')
@RequiresPermission('commands')
@Controller('v3/device-requests')
export class CommandHistoryController {
  constructor(
    private readonly history: CommandHistory,
    private readonly queue: CommandQueue,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List commands',
    description: 'The commands of the calling key, newest first. Filter by `async_id`, `device_id` or `state`.',
  })
  @ApiListQuery(historySpec, 'DeviceCommandFilters')
  @ApiOkResponse({ standardSchema: listSchema(CommandRecordSchema, 'DeviceCommandList') })
  list(@Caller() caller: Identity, @Query() query: QueryParameters): Promise<ListEnvelope<CommandRecord>> {
    return this.history.list(caller.keyId, parseListQuery(query, historySpec));
  }

  @Get(':asyncId')
  @ApiOperation({
    summary: 'Show a command',
    description:
      'Identified by its id or by its async-id; the latter finds the newest command of the calling key with that async-id.',
  })
  @ApiOkResponse({ standardSchema: CommandRecordSchema })
  get(@Caller() caller: Identity, @Param('asyncId') asyncId: string): Promise<CommandRecord> {
    return this.history.get(caller.keyId, asyncId);
  }

  @Delete(':asyncId')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Cancel a command',
    description:
      'Identified by its id or by its async-id; the latter finds the newest command with that async-id. A waiting command ends with the asynchronous response 429 `REQUEST_CANCELLED`. A command that the device may already have received cannot be cancelled (409).',
  })
  @ApiNoContentResponse()
  @ApiResponse({ status: 409, description: 'COMMAND_NOT_WAITING: sent to the device, or finished' })
  cancel(@Caller() caller: Identity, @Param('asyncId') asyncId: string): Promise<void> {
    return this.queue.cancel(caller.keyId, asyncId);
  }
}
