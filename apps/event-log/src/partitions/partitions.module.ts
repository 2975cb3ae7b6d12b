import { Module } from '@nestjs/common';
import { PartitionMaintenance } from './partition-maintenance.js';
import { Partitions } from './partitions.js';

@Module({ providers: [Partitions, PartitionMaintenance] })
export class PartitionsModule {}
