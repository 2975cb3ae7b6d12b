import { Controller, Delete, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  Caller,
  type Identity,
  ListParameters,
  type ListRequest,
  listSchema,
  Operation,
  RequiresPermission,
} from '@lanyard/service';
import { CommandQueue } from './command-queue.js';
import { CommandHistory, CommandRecordSchema, historySpec } from './history.js';

/** The results of the caller's own commands, also for keys without a channel. */
@ApiTags('Commands')
@RequiresPermission('commands')
@Controller('v3/device-requests')
export class CommandHistoryController {
  constructor(
    private readonly history: CommandHistory,
    private readonly queue: CommandQueue,
  ) {}

  @Get()
  @Operation({
    summary: 'List commands',
    description: 'Lists the commands of the calling key, newest first. Filter by `async_id`, `device_id` or `state`.',
    ok: listSchema(CommandRecordSchema, 'DeviceCommandList'),
  })
  list(@ListParameters(historySpec, 'DeviceCommandFilters') query: ListRequest) {
    return this.history.list(query.caller, query);
  }

  @Get(':asyncId')
  @Operation({
    summary: 'Show a command',
    description:
      'Finds the command by its id or by its async-id; the latter finds the newest command of the calling key with that async-id.',
    ok: CommandRecordSchema,
  })
  get(@Caller() caller: Identity, @Param('asyncId') asyncId: string) {
    return this.history.get(caller, asyncId);
  }

  @Delete(':asyncId')
  @Operation({
    summary: 'Cancel a command',
    description:
      'Finds the command by its id or by its async-id; the latter finds the newest command with that async-id. A waiting command ends with the asynchronous response 429 `REQUEST_CANCELLED`. A command that is in flight to the device cannot be cancelled (409).',
    conflict: 'COMMAND_NOT_WAITING: in flight to the device, or finished',
  })
  async cancel(@Caller() caller: Identity, @Param('asyncId') asyncId: string): Promise<void> {
    return this.queue.cancel(await this.history.findToCancel(caller, asyncId));
  }
}
