import { Module } from '@nestjs/common';
import { LogModule } from '../log/log.module.js';
import { EntriesConsumer } from './entries.consumer.js';

@Module({ imports: [LogModule], controllers: [EntriesConsumer] })
export class IntakeModule {}
