import { Module } from '@nestjs/common';
import { QuotasModule } from '../quotas/quotas.module.js';
import { DeletedDevices } from './deleted-devices.js';
import { DeviceCountsController } from './device-counts.controller.js';
import { DeviceCounter } from './device-counts.js';
import { DeviceList } from './device-list.js';
import { DeviceScopeController } from './device-scope.controller.js';
import { DeviceTexts } from './device-texts.js';
import { DevicesController } from './devices.controller.js';
import { DevicesService } from './devices.service.js';
import { Lifecycle } from './lifecycle.js';
import { NewDevices } from './new-devices.js';

@Module({
  imports: [QuotasModule],
  controllers: [DevicesController, DeviceCountsController, DeviceScopeController],
  providers: [Lifecycle, NewDevices, DeviceTexts, DeviceList, DeviceCounter, DevicesService, DeletedDevices],
  exports: [Lifecycle, NewDevices, DeviceList],
})
export class DevicesModule {}
