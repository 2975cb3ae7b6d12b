import { Module } from '@nestjs/common';
import { QueueModule } from '../queue/queue.module.js';
import { EventTraces } from './event-traces.js';

@Module({ imports: [QueueModule], providers: [EventTraces], exports: [EventTraces] })
export class TracingModule {}
