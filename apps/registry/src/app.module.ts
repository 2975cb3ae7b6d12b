import { KafkaBatchServer, KafkaModule, OutboxModule } from '@lanyard/kafka';
import { DatabaseModule, IdentityModule, type ServiceDefinition, streamUploads } from '@lanyard/service';
import { Module } from '@nestjs/common';
import { BootstrapModule } from './bootstrap/bootstrap.module.js';
import { app } from './config.js';
import { CredentialsModule } from './credentials/credentials.module.js';
import { databaseOf, schema } from './db/database.js';
import { DevicesModule } from './devices/devices.module.js';
import { GroupsModule } from './groups/groups.module.js';
import { ImportsModule } from './imports/imports.module.js';
import { importBytesMax } from './imports/imports.service.js';
import { IntakeModule } from './intake/intake.module.js';
import { QueriesModule } from './queries/queries.module.js';
import { SuspensionModule } from './suspension/suspension.module.js';
import { TrustedCertificatesModule } from './trusted-certificates/trusted-certificates.module.js';

@Module({
  imports: [
    IdentityModule,
    DatabaseModule.forRoot(databaseOf),
    KafkaModule.forRoot({ app }),
    OutboxModule.forRoot(schema, app),
    DevicesModule,
    CredentialsModule,
    TrustedCertificatesModule,
    BootstrapModule,
    GroupsModule,
    QueriesModule,
    SuspensionModule,
    ImportsModule,
    IntakeModule,
  ],
})
export class AppModule {}

export const definition: ServiceDefinition = {
  title: 'Device directory',
  module: AppModule,
  strategies: [KafkaBatchServer],
  configure: streamUploads('/v3/device-imports', importBytesMax),
};
