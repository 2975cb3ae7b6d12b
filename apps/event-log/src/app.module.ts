import { type DynamicModule, Module } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { EntriesConsumer } from './intake/entries.consumer.js';
import { EntriesStore } from './log/entries.store.js';
import { EventsController } from './query/events.controller.js';
import { EventsReader } from './query/list-events.js';

@Module({})
export class AppModule {
  static of(database: DataSource, entries: EntriesStore): DynamicModule {
    return {
      module: AppModule,
      controllers: [EventsController, EntriesConsumer],
      providers: [
        { provide: EntriesStore, useValue: entries },
        { provide: EventsReader, useValue: new EventsReader(database) },
      ],
    };
  }
}
