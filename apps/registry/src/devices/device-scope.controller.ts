import { AnyKey, Caller, type Identity } from '@lanyard/service';
import { Controller, Get, HttpCode, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { DevicesService } from './devices.service.js';

/** For the gateway, which exposes no route to it: whether a device is one of the caller's (docs/adr/0029). */
@ApiExcludeController()
@AnyKey()
@Controller('device-scope')
export class DeviceScopeController {
  constructor(private readonly devices: DevicesService) {}

  @Get(':id')
  @HttpCode(204)
  async check(@Caller() { accountId, deviceGroups = [] }: Identity, @Param('id') id: string): Promise<void> {
    await this.devices.get({ accountId, deviceGroups }, id);
  }
}
