import { Module } from '@nestjs/common';
import { QuotasModule } from '../quotas/quotas.module.js';
import { CredentialAnnouncer } from './credential-announcer.js';
import { DeviceList } from './device-list.js';
import { DeviceTexts } from './device-texts.js';
import { DevicesController } from './devices.controller.js';
import { DevicesService } from './devices.service.js';
import { Lifecycle } from './lifecycle.js';
import { NewDevices } from './new-devices.js';

@Module({
  imports: [QuotasModule],
  controllers: [DevicesController],
  providers: [CredentialAnnouncer, Lifecycle, NewDevices, DeviceTexts, DeviceList, DevicesService],
  exports: [CredentialAnnouncer, Lifecycle, NewDevices, DeviceList],
})
export class DevicesModule {}
