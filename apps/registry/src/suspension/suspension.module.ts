import { Module } from '@nestjs/common';
import { DevicesModule } from '../devices/devices.module.js';
import { GroupsModule } from '../groups/groups.module.js';
import { BulkSuspensionController } from './bulk-suspension.controller.js';
import { BulkSuspensionService } from './bulk-suspension.service.js';
import { BlockCategoriesController, SuspensionController } from './suspension.controller.js';
import { SuspensionService } from './suspension.service.js';
import { SystemSuspension } from './system-suspension.js';

@Module({
  imports: [DevicesModule, GroupsModule],
  controllers: [SuspensionController, BulkSuspensionController, BlockCategoriesController],
  providers: [SuspensionService, BulkSuspensionService, SystemSuspension],
  exports: [SystemSuspension],
})
export class SuspensionModule {}
