import { Module } from '@nestjs/common';
import { BootstrapExpiry } from './bootstrap-expiry.js';
import { BootstrapWriter } from './bootstrap-writer.js';
import { ProfilesController } from './profiles.controller.js';
import { ProfilesService } from './profiles.service.js';

@Module({
  controllers: [ProfilesController],
  providers: [BootstrapExpiry, BootstrapWriter, ProfilesService],
  exports: [BootstrapWriter],
})
export class BootstrapModule {}
