import { Module } from '@nestjs/common';
import { ProxyModule } from '../proxy/proxy.module.js';
import { AttentionController } from './attention.controller.js';
import { StatisticsController } from './statistics.controller.js';

@Module({ imports: [ProxyModule], controllers: [StatisticsController, AttentionController] })
export class FleetModule {}
