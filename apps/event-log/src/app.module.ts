import { KafkaBatchServer, KafkaModule } from '@lanyard/kafka';
import { DatabaseModule, IdentityModule, type ServiceDefinition } from '@lanyard/service';
import { Module } from '@nestjs/common';
import { CatalogueModule } from './catalogue/catalogue.module.js';
import { app } from './config.js';
import { databaseOf } from './db/database.js';
import { GroupsModule } from './groups/groups.module.js';
import { IntakeModule } from './intake/intake.module.js';
import { PartitionsModule } from './partitions/partitions.module.js';
import { QueryModule } from './query/query.module.js';
import { TailModule } from './tail/tail.module.js';

@Module({
  imports: [
    IdentityModule,
    DatabaseModule.forRoot(databaseOf),
    KafkaModule.forRoot({ app }),
    PartitionsModule,
    IntakeModule,
    GroupsModule,
    // Before QueryModule: the path of the stream would also match a path with an id.
    TailModule,
    QueryModule,
    CatalogueModule,
  ],
})
export class AppModule {}

export const definition: ServiceDefinition = {
  title: 'Device event log',
  module: AppModule,
  strategies: [KafkaBatchServer],
};
