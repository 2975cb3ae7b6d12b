import { Module } from '@nestjs/common';
import { EntriesStore } from './entries.store.js';

@Module({ providers: [EntriesStore], exports: [EntriesStore] })
export class LogModule {}
