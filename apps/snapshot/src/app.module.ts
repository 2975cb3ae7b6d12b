import { type DynamicModule, Module } from '@nestjs/common';
import { AccountModels } from '@lanyard/lwm2m';
import type { DataSource } from 'typeorm';
import { EchoController } from './api/echo.controller.js';
import { DeviceWriter } from './devices/device-writer.js';
import { SnapshotConsumer } from './intake/snapshot.consumer.js';
import { ResourceWriter } from './resources/resource-writer.js';
import { SnapshotReader } from './resources/snapshot-reader.js';

@Module({})
export class AppModule {
  static of(database: DataSource, models: AccountModels): DynamicModule {
    return {
      module: AppModule,
      controllers: [EchoController, SnapshotConsumer],
      providers: [
        { provide: SnapshotReader, useValue: new SnapshotReader(database, models) },
        { provide: ResourceWriter, useValue: new ResourceWriter(database) },
        { provide: AccountModels, useValue: models },
        { provide: DeviceWriter, useValue: new DeviceWriter(database) },
      ],
    };
  }
}
