import { KafkaBatchServer, KafkaModule, OutboxModule } from '@lanyard/kafka';
import { DatabaseModule, IdentityModule, type ServiceDefinition, streamUploads } from '@lanyard/service';
import { Module } from '@nestjs/common';
import { CampaignsModule } from './campaigns/campaigns.module.js';
import { app } from './config.js';
import { databaseOf, schema } from './db/database.js';
import { DownloadsModule } from './downloads/downloads.module.js';
import { ImagesModule } from './images/images.module.js';
import { IntakeModule } from './intake/intake.module.js';
import { imageBytesMax } from './limits.js';
import { ProgressModule } from './progress/progress.module.js';

@Module({
  imports: [
    IdentityModule,
    DatabaseModule.forRoot(databaseOf),
    KafkaModule.forRoot({ app }),
    OutboxModule.forRoot(schema, app),
    ImagesModule,
    DownloadsModule,
    CampaignsModule,
    ProgressModule,
    IntakeModule,
  ],
})
export class AppModule {}

export const definition: ServiceDefinition = {
  title: 'Packages and update campaigns',
  module: AppModule,
  strategies: [KafkaBatchServer],
  configure: streamUploads('/v3/firmware-images', imageBytesMax),
};
