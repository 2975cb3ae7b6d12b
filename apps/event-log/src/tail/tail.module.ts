import { Module } from '@nestjs/common';
import { QueryModule } from '../query/query.module.js';
import { AccessKeysReader } from './access-keys.reader.js';
import { AppendNotifications } from './append-notifications.js';
import { StreamController } from './stream.controller.js';
import { Streams } from './streams.js';

@Module({
  imports: [QueryModule],
  controllers: [StreamController],
  providers: [AccessKeysReader, AppendNotifications, Streams],
})
export class TailModule {}
