import { CurrentRequest, type RequestContext, RequiresPermission } from '@lanyard/service';
import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { DeviceCounter, type DeviceCounts } from './device-counts.js';

/** For the gateway, which exposes no route to it. */
@ApiExcludeController()
@RequiresPermission('devices.read')
@Controller('statistics')
export class DeviceCountsController {
  constructor(private readonly counter: DeviceCounter) {}

  @Get()
  counts(@CurrentRequest() { accountId }: RequestContext): Promise<DeviceCounts> {
    return this.counter.countsOf(accountId);
  }
}
