import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller, type Identity, type ListEnvelope, parseListQuery, type QueryParameters } from '@lanyard/service';
import { CommandHistory, type CommandRecord, historySpec } from './history.js';

/** How the caller's own commands ended, also for keys without a channel. */
@ApiTags('Commands')
@Controller('v3/device-requests')
export class CommandHistoryController {
  constructor(@Inject(CommandHistory) private readonly history: CommandHistory) {}

  @Get()
  @ApiOperation({ summary: 'List the commands of the calling key; filters: device_id, state' })
  list(@Caller() caller: Identity, @Query() query: QueryParameters): Promise<ListEnvelope<CommandRecord>> {
    return this.history.list(caller.keyId, parseListQuery(query, historySpec));
  }

  @Get(':asyncId')
  @ApiOperation({ summary: 'Show one command of the calling key' })
  get(@Caller() caller: Identity, @Param('asyncId') asyncId: string): Promise<CommandRecord> {
    return this.history.get(caller.keyId, asyncId);
  }
}
