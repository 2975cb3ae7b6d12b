import { Module } from '@nestjs/common';
import { ModelsModule } from '../models/models.module.js';
import { HistoryReader } from './history-reader.js';
import { HistorySettingsReader } from './history-settings.reader.js';
import { HistoryWriter } from './history-writer.js';

@Module({
  imports: [ModelsModule],
  providers: [HistorySettingsReader, HistoryWriter, HistoryReader],
  exports: [HistoryWriter, HistoryReader],
})
export class HistoryModule {}
