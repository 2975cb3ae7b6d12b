import { AttentionList, ListParameters, type ListRequest, Operation, RequiresPermission } from '@lanyard/service';
import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { StuckCommands } from './stuck-commands.js';

@ApiTags('Attention')
@RequiresPermission('commands')
@Controller('v3/attention/stuck-commands')
export class StuckCommandsController {
  constructor(private readonly commands: StuckCommands) {}

  @Get()
  @Operation({
    summary: 'List stuck commands',
    description: 'Lists the commands of all keys of the account that have not ended an hour after they were accepted.',
    ok: AttentionList,
  })
  list(@ListParameters({ filters: {} }) query: ListRequest) {
    return this.commands.list(query.caller.accountId, query);
  }
}
