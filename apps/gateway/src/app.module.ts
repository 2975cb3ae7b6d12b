import { KafkaModule, OutboxModule } from '@lanyard/kafka';
import { DatabaseModule, RedisModule, type ServiceDefinition } from '@lanyard/service';
import { Module } from '@nestjs/common';
import { AccessModule } from './access/access.module.js';
import { AuthenticationModule } from './authentication/authentication.module.js';
import { app, type GatewayConfig } from './config.js';
import { databaseOf, schema } from './db/database.js';
import { ExplainModule } from './explain/explain.module.js';
import { FleetModule } from './fleet/fleet.module.js';
import { configureHttp } from './http.js';
import { LimitsModule } from './limits/limits.module.js';
import { openRedis } from './limits/redis.js';
import { OpenApiModule } from './openapi/openapi.module.js';
import { ProxyModule } from './proxy/proxy.module.js';
import { takesLargeBodies } from './proxy/routes.js';
import { isUpgrade } from './proxy/upgrade.js';
import { SessionModule } from './session/session.module.js';

// Global modules stop in the reverse order of this list: authentication writes its last counts while PostgreSQL is open.
@Module({
  imports: [
    DatabaseModule.forRoot(databaseOf),
    KafkaModule.forRoot({ app }),
    OutboxModule.forRoot(schema, app),
    RedisModule.forRoot({ open: openRedis }),
    LimitsModule,
    AuthenticationModule,
    ProxyModule,
    AccessModule,
    SessionModule,
    ExplainModule,
    FleetModule,
    OpenApiModule,
  ],
})
export class AppModule {}

export const definition: ServiceDefinition<GatewayConfig> = {
  title: 'Access',
  module: AppModule,
  traceDecision: ({ trustTraceParent }) => (trustTraceParent ? 'client' : 'ratio'),
  http: {
    isUpload: ({ method, url }) => takesLargeBodies(method, url.split('?', 1)[0] as string),
    isUpgrade,
  },
  configure: configureHttp,
};
