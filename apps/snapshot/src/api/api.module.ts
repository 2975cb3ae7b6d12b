import { Module } from '@nestjs/common';
import { DevicesModule } from '../devices/devices.module.js';
import { HistoryModule } from '../history/history.module.js';
import { ResourcesModule } from '../resources/resources.module.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { AttentionController } from './attention.controller.js';
import { EchoController } from './echo.controller.js';
import { HistoryController } from './history.controller.js';
import { StatisticsController } from './statistics.controller.js';

@Module({
  imports: [DevicesModule, ResourcesModule, HistoryModule, StatisticsModule],
  controllers: [AttentionController, EchoController, HistoryController, StatisticsController],
})
export class ApiModule {}
