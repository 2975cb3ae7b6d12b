import { Module } from '@nestjs/common';
import { ModelsModule } from '../models/models.module.js';
import { ResourceWriter } from './resource-writer.js';
import { SnapshotReader } from './snapshot-reader.js';

@Module({
  imports: [ModelsModule],
  providers: [ResourceWriter, SnapshotReader],
  exports: [ResourceWriter, SnapshotReader],
})
export class ResourcesModule {}
