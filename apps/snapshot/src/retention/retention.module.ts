import { Module } from '@nestjs/common';
import { HistoryRemovalService } from './history-removal.service.js';
import { PartitionMaintenance } from './partition-maintenance.js';
import { PurgeService } from './purge.service.js';

@Module({ providers: [PartitionMaintenance, PurgeService, HistoryRemovalService] })
export class RetentionModule {}
