import type { Outbox } from '@lanyard/kafka';
import { type DynamicModule, Module } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { DeviceList } from './devices/device-list.js';
import { DevicesController } from './devices/devices.controller.js';
import { DevicesService } from './devices/devices.service.js';
import { Lifecycle } from './devices/lifecycle.js';
import { GroupsController } from './groups/groups.controller.js';
import { GroupsService } from './groups/groups.service.js';
import { SessionWriter } from './intake/session-writer.js';
import { SessionsConsumer } from './intake/sessions.consumer.js';
import { BlockCategoriesController, SuspensionController } from './suspension/suspension.controller.js';
import { SuspensionService } from './suspension/suspension.service.js';

@Module({})
export class AppModule {
  static of(database: DataSource, outbox: Outbox): DynamicModule {
    const lifecycle = new Lifecycle(outbox);
    return {
      module: AppModule,
      controllers: [
        DevicesController,
        SuspensionController,
        BlockCategoriesController,
        GroupsController,
        SessionsConsumer,
      ],
      providers: [
        { provide: DevicesService, useValue: new DevicesService(database, lifecycle) },
        { provide: DeviceList, useValue: new DeviceList(database) },
        { provide: SuspensionService, useValue: new SuspensionService(database, lifecycle) },
        { provide: GroupsService, useValue: new GroupsService(database) },
        { provide: SessionWriter, useValue: new SessionWriter(database, lifecycle, outbox) },
      ],
    };
  }
}
