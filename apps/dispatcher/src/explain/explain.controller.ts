import { Caller, type Identity, RequiresPermission } from '@lanyard/service';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type ChannelFacts, type ExplainedEvent, Explanations } from './explanations.js';

/** For the gateway, which routes no outside request here. */
@ApiExcludeController()
@RequiresPermission('notifications')
@Controller('explain')
export class ExplainController {
  constructor(private readonly explanations: Explanations) {}

  @Get('channel')
  channel(@Caller() caller: Identity): Promise<ChannelFacts> {
    return this.explanations.channel(caller);
  }

  @Get('events/:uid')
  event(@Caller() caller: Identity, @Param('uid') uid: string): Promise<ExplainedEvent> {
    return this.explanations.event(caller, uid);
  }
}
