import { Module } from '@nestjs/common';
import { StatisticsReader } from './statistics-reader.js';
import { StatisticsWriter } from './statistics-writer.js';

@Module({ providers: [StatisticsWriter, StatisticsReader], exports: [StatisticsWriter, StatisticsReader] })
export class StatisticsModule {}
