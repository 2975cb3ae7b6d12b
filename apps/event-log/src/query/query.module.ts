import { Module } from '@nestjs/common';
import { EventsController } from './events.controller.js';
import { EventsReader } from './list-events.js';
import { StoredEvents } from './stored-events.js';

@Module({ controllers: [EventsController], providers: [EventsReader, StoredEvents], exports: [StoredEvents] })
export class QueryModule {}
