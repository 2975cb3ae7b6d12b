import type { Outbox } from '@lanyard/kafka';
import { type DynamicModule, Module } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { CredentialAnnouncer } from './credentials/announcer.js';
import { CredentialsController } from './credentials/credentials.controller.js';
import { CredentialsService } from './credentials/credentials.service.js';
import { DeviceList } from './devices/device-list.js';
import { DevicesController } from './devices/devices.controller.js';
import { DevicesService } from './devices/devices.service.js';
import { Lifecycle } from './devices/lifecycle.js';
import { GroupsController } from './groups/groups.controller.js';
import { GroupsService } from './groups/groups.service.js';
import { SessionWriter } from './intake/session-writer.js';
import { SessionsConsumer } from './intake/sessions.consumer.js';
import { BlockCategoriesController, SuspensionController } from './suspension/suspension.controller.js';
import { SuspensionService } from './suspension/suspension.service.js';
import { TrustedCertificatesController } from './trusted-certificates/trusted-certificates.controller.js';
import { TrustedCertificatesService } from './trusted-certificates/trusted-certificates.service.js';

@Module({})
export class AppModule {
  static of(database: DataSource, outbox: Outbox, encryptionKey: Buffer): DynamicModule {
    const lifecycle = new Lifecycle(outbox);
    const announcer = new CredentialAnnouncer(outbox);
    return {
      module: AppModule,
      controllers: [
        DevicesController,
        SuspensionController,
        BlockCategoriesController,
        GroupsController,
        CredentialsController,
        TrustedCertificatesController,
        SessionsConsumer,
      ],
      providers: [
        { provide: DevicesService, useValue: new DevicesService(database, lifecycle, announcer) },
        { provide: DeviceList, useValue: new DeviceList(database) },
        { provide: SuspensionService, useValue: new SuspensionService(database, lifecycle) },
        { provide: CredentialsService, useValue: new CredentialsService(database, announcer, encryptionKey) },
        { provide: TrustedCertificatesService, useValue: new TrustedCertificatesService(database, announcer) },
        { provide: GroupsService, useValue: new GroupsService(database) },
        { provide: SessionWriter, useValue: new SessionWriter(database, lifecycle, outbox) },
      ],
    };
  }
}
