import { Module } from '@nestjs/common';
import { DevicesModule } from '../devices/devices.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { ImportRetention } from './import-retention.js';
import { ImportWorker } from './import-worker.js';
import { ImportsController } from './imports.controller.js';
import { ImportsService } from './imports.service.js';

@Module({
  imports: [DevicesModule, QuotasModule],
  controllers: [ImportsController],
  providers: [ImportWorker, ImportRetention, ImportsService],
})
export class ImportsModule {}
