import { Module } from '@nestjs/common';
import { DevicesModule } from '../devices/devices.module.js';
import { BootstrapExpiry } from './bootstrap-expiry.js';
import { BootstrapWriter } from './bootstrap-writer.js';
import { ProfilesController } from './profiles.controller.js';
import { ProfilesService } from './profiles.service.js';

@Module({
  imports: [DevicesModule],
  controllers: [ProfilesController],
  providers: [BootstrapExpiry, BootstrapWriter, ProfilesService],
  exports: [BootstrapWriter],
})
export class BootstrapModule {}
