import { Caller, type Identity, RequiresPermission } from '@lanyard/service';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type ExplainedCommand, type ExplainedDevice, Explanations } from './explanations.js';

/** Called by the gateway itself, which forwards no requests of clients to these routes. */
@ApiExcludeController()
@RequiresPermission('commands')
@Controller('explain')
export class ExplainController {
  constructor(private readonly explanations: Explanations) {}

  @Get('commands/:asyncId')
  command(@Caller() caller: Identity, @Param('asyncId') asyncId: string): Promise<ExplainedCommand> {
    return this.explanations.command(caller, asyncId);
  }

  @Get('devices/:deviceId')
  device(
    @Caller() caller: Identity,
    @Param('deviceId') deviceId: string,
    @Query('limit') limit: string,
    @Query('before') before: string,
  ): Promise<ExplainedDevice> {
    return this.explanations.device(caller, deviceId, Number(limit), before);
  }
}
