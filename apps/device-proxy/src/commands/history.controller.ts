import { Controller, Delete, Get, HttpCode, Inject, Param, Query } from '@nestjs/common';
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
    @Inject(CommandHistory) private readonly history: CommandHistory,
    @Inject(CommandQueue) private readonly queue: CommandQueue,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List the commands of the calling key; filters: async_id, device_id, state' })
  @ApiListQuery(historySpec, 'DeviceCommandFilters')
  @ApiOkResponse({ standardSchema: listSchema(CommandRecordSchema, 'DeviceCommandList') })
  list(@Caller() caller: Identity, @Query() query: QueryParameters): Promise<ListEnvelope<CommandRecord>> {
    return this.history.list(caller.keyId, parseListQuery(query, historySpec));
  }

  @Get(':asyncId')
  @ApiOperation({ summary: 'Show one command of the calling key, by its id or the newest with this async-id' })
  @ApiOkResponse({ standardSchema: CommandRecordSchema })
  get(@Caller() caller: Identity, @Param('asyncId') asyncId: string): Promise<CommandRecord> {
    return this.history.get(caller.keyId, asyncId);
  }

  @Delete(':asyncId')
  @HttpCode(204)
  @ApiOperation({
    summary:
      'Take back a command that waits, by its id or the newest with this async-id; it ends with 429 REQUEST_CANCELLED',
  })
  @ApiNoContentResponse()
  @ApiResponse({ status: 409, description: 'COMMAND_NOT_WAITING: given to the device, or ended' })
  cancel(@Caller() caller: Identity, @Param('asyncId') asyncId: string): Promise<void> {
    return this.queue.cancel(caller.keyId, asyncId);
  }
}
