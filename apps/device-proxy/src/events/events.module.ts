import { Module } from '@nestjs/common';
import { ProducerModule } from '../producer/producer.module.js';
import { UnreadableReports } from './unreadable-reports.js';

@Module({ imports: [ProducerModule], providers: [UnreadableReports], exports: [UnreadableReports] })
export class EventsModule {}
