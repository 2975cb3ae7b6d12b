import type { Clock } from '@lanyard/service';
import { type DynamicModule, Module } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { CatalogueController } from './catalogue/catalogue.controller.js';
import { EntriesConsumer } from './intake/entries.consumer.js';
import { MembershipStore } from './groups/membership-store.js';
import { MembershipsConsumer } from './groups/memberships.consumer.js';
import { EntriesStore } from './log/entries.store.js';
import { EventsController } from './query/events.controller.js';
import { EventsReader } from './query/list-events.js';
import { StoredEvents } from './query/stored-events.js';
import { StreamController } from './tail/stream.controller.js';
import { Streams } from './tail/streams.js';

@Module({})
export class AppModule {
  static of(database: DataSource, streams: Streams, clock: Clock): DynamicModule {
    return {
      module: AppModule,
      // The stream's path is one that an id would fit: it comes first.
      controllers: [StreamController, EventsController, CatalogueController, EntriesConsumer, MembershipsConsumer],
      providers: [
        { provide: EntriesStore, useValue: new EntriesStore(database) },
        { provide: MembershipStore, useValue: new MembershipStore(database) },
        { provide: EventsReader, useValue: new EventsReader(database, clock) },
        { provide: StoredEvents, useValue: new StoredEvents(database) },
        { provide: Streams, useValue: streams },
      ],
    };
  }
}
