import { Module } from '@nestjs/common';
import { DevicesModule } from '../devices/devices.module.js';
import { QueriesController } from './queries.controller.js';
import { QueriesService } from './queries.service.js';

@Module({ imports: [DevicesModule], controllers: [QueriesController], providers: [QueriesService] })
export class QueriesModule {}
