import { Module } from '@nestjs/common';
import { DevicesModule } from '../devices/devices.module.js';
import { HistoryModule } from '../history/history.module.js';
import { ModelsModule } from '../models/models.module.js';
import { ResourcesModule } from '../resources/resources.module.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { SnapshotConsumer } from './snapshot.consumer.js';

@Module({
  imports: [ModelsModule, DevicesModule, ResourcesModule, HistoryModule, StatisticsModule],
  controllers: [SnapshotConsumer],
})
export class IntakeModule {}
