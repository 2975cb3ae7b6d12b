import { KafkaBatchServer, KafkaModule, OutboxModule } from '@lanyard/kafka';
import { DatabaseModule, IdentityModule, RedisModule, type ServiceDefinition } from '@lanyard/service';
import { Module } from '@nestjs/common';
import { app, type DeviceProxyConfig } from './config.js';
import { databaseOf, schema } from './database.js';
import { CampaignCommandsModule } from './campaign-commands/campaign-commands.module.js';
import { DeviceRequestsModule } from './device-requests/device-requests.module.js';
import { endpointsPrefix } from './endpoints/endpoints.controller.js';
import { EndpointsModule } from './endpoints/endpoints.module.js';
import { ExplainModule } from './explain/explain.module.js';
import { ModelsModule } from './models/models.module.js';
import { modelsPrefix } from './models/object-models.controller.js';
import { openRedis } from './sessions/redis-connections.js';
import { UplinkModule } from './uplink/uplink.module.js';

@Module({
  imports: [
    IdentityModule,
    DatabaseModule.forRoot(databaseOf),
    KafkaModule.forRoot({ app, isReadinessCheck: true }),
    OutboxModule.forRoot(schema, app),
    RedisModule.forRoot({ open: openRedis, isReadinessCheck: true }),
    UplinkModule,
    DeviceRequestsModule,
    EndpointsModule,
    ExplainModule,
    ModelsModule,
    CampaignCommandsModule,
  ],
})
export class AppModule {}

export const definition: ServiceDefinition<DeviceProxyConfig> = {
  title: 'Lanyard device proxy',
  module: AppModule,
  strategies: [KafkaBatchServer],
  http: { rawBodyPrefixes: [endpointsPrefix, modelsPrefix] },
};
