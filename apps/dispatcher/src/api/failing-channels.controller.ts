import { AttentionList, ListParameters, type ListRequest, Operation, RequiresPermission } from '@lanyard/service';
import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { FailingChannels } from '../channels/failing-channels.js';

@ApiTags('Attention')
@RequiresPermission('notifications')
@Controller('v3/attention/failing-channels')
export class FailingChannelsController {
  constructor(private readonly channels: FailingChannels) {}

  @Get()
  @Operation({
    summary: 'List failing channels',
    description:
      'Lists the callbacks that are stopped or whose last delivery failed, and other channels whose events have waited for an application for five minutes. Administrators see all channels of the account, other keys their own.',
    ok: AttentionList,
  })
  list(@ListParameters({ filters: {} }) query: ListRequest) {
    return this.channels.list(query.caller, query);
  }
}
