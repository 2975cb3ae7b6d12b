import { Module } from '@nestjs/common';
import { ProgressModule } from '../progress/progress.module.js';
import { FactsConsumer } from './facts.consumer.js';

@Module({ imports: [ProgressModule], controllers: [FactsConsumer] })
export class IntakeModule {}
