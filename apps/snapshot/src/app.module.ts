import { KafkaBatchServer, KafkaModule } from '@lanyard/kafka';
import { DatabaseModule, IdentityModule, type ServiceDefinition } from '@lanyard/service';
import { Module } from '@nestjs/common';
import { ApiModule } from './api/api.module.js';
import { app } from './config.js';
import { databaseOf } from './db/database.js';
import { IntakeModule } from './intake/intake.module.js';
import { RetentionModule } from './retention/retention.module.js';

@Module({
  imports: [
    IdentityModule,
    DatabaseModule.forRoot(databaseOf),
    KafkaModule.forRoot({ app }),
    RetentionModule,
    IntakeModule,
    ApiModule,
  ],
})
export class AppModule {}

export const definition: ServiceDefinition = {
  title: 'Device state snapshot',
  module: AppModule,
  strategies: [KafkaBatchServer],
};
