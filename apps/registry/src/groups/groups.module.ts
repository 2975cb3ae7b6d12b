import { Module } from '@nestjs/common';
import { DevicesModule } from '../devices/devices.module.js';
import { GroupsController } from './groups.controller.js';
import { GroupsService } from './groups.service.js';
import { MembershipAnnouncer } from './membership-announcer.js';

@Module({
  imports: [DevicesModule],
  controllers: [GroupsController],
  providers: [GroupsService, MembershipAnnouncer],
  exports: [GroupsService],
})
export class GroupsModule {}
