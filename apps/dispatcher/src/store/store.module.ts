import { Module } from '@nestjs/common';
import { QueueModule } from '../queue/queue.module.js';
import { ChannelRegistrar } from './channel-registrar.js';
import { ChannelStore } from './channel-store.js';
import { DropReportStore } from './drop-report-store.js';

/** Channels in PostgreSQL, and their registration in Redis. */
@Module({
  imports: [QueueModule],
  providers: [DropReportStore, ChannelStore, ChannelRegistrar],
  exports: [ChannelStore, ChannelRegistrar],
})
export class StoreModule {}
