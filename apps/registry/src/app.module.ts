import { AuditTrail, type Outbox } from '@lanyard/kafka';
import type { Clock, EncryptionKeys } from '@lanyard/service';
import { type DynamicModule, Module } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { CredentialAnnouncer } from './devices/credential-announcer.js';
import { CredentialsController } from './credentials/credentials.controller.js';
import { CredentialsService } from './credentials/credentials.service.js';
import { DeviceList } from './devices/device-list.js';
import { DeviceTexts } from './devices/device-texts.js';
import { DevicesController } from './devices/devices.controller.js';
import { DevicesService } from './devices/devices.service.js';
import type { Lifecycle } from './devices/lifecycle.js';
import { GroupsController } from './groups/groups.controller.js';
import { GroupsService } from './groups/groups.service.js';
import type { ImportWorker } from './imports/import-worker.js';
import { ImportsController } from './imports/imports.controller.js';
import { ImportsService } from './imports/imports.service.js';
import { AccountsConsumer } from './intake/accounts.consumer.js';
import { ContactWriter } from './intake/contact-writer.js';
import { ContactsConsumer } from './intake/contacts.consumer.js';
import { SessionWriter } from './intake/session-writer.js';
import { SessionsConsumer } from './intake/sessions.consumer.js';
import { QueriesController } from './queries/queries.controller.js';
import { QueriesService } from './queries/queries.service.js';
import type { DeviceQuotas } from './quotas/device-quotas.js';
import { BulkSuspensionController } from './suspension/bulk-suspension.controller.js';
import { BulkSuspensionService } from './suspension/bulk-suspension.service.js';
import { BlockCategoriesController, SuspensionController } from './suspension/suspension.controller.js';
import type { NewDevices } from './devices/new-devices.js';
import { SuspensionService } from './suspension/suspension.service.js';
import { SystemSuspension } from './suspension/system-suspension.js';
import { TrustedCertificatesController } from './trusted-certificates/trusted-certificates.controller.js';
import { TrustedCertificatesService } from './trusted-certificates/trusted-certificates.service.js';

export interface AppParts {
  database: DataSource;
  outbox: Outbox;
  lifecycle: Lifecycle;
  newDevices: NewDevices;
  quotas: DeviceQuotas;
  importWorker: ImportWorker;
  systemSuspension: SystemSuspension;
  encryptionKey: EncryptionKeys;
  clock: Clock;
}

@Module({})
export class AppModule {
  static of({
    database,
    outbox,
    lifecycle,
    newDevices,
    quotas,
    importWorker,
    systemSuspension,
    encryptionKey,
    clock,
  }: AppParts): DynamicModule {
    const announcer = new CredentialAnnouncer(outbox);
    const audit = new AuditTrail(outbox);
    const texts = new DeviceTexts(database);
    return {
      module: AppModule,
      controllers: [
        DevicesController,
        SuspensionController,
        BulkSuspensionController,
        QueriesController,
        ImportsController,
        BlockCategoriesController,
        GroupsController,
        CredentialsController,
        TrustedCertificatesController,
        SessionsConsumer,
        ContactsConsumer,
        AccountsConsumer,
      ],
      providers: [
        {
          provide: DevicesService,
          useValue: new DevicesService(database, texts, lifecycle, announcer, quotas, newDevices, audit),
        },
        { provide: DeviceList, useValue: new DeviceList(database, texts) },
        { provide: SuspensionService, useValue: new SuspensionService(database, lifecycle) },
        { provide: BulkSuspensionService, useValue: new BulkSuspensionService(database, lifecycle, audit) },
        { provide: QueriesService, useValue: new QueriesService(database, audit) },
        {
          provide: ImportsService,
          useValue: new ImportsService(database, audit, clock, () => importWorker.steps.poke()),
        },
        { provide: CredentialsService, useValue: new CredentialsService(database, announcer, encryptionKey, audit) },
        { provide: TrustedCertificatesService, useValue: new TrustedCertificatesService(database, announcer, audit) },
        { provide: GroupsService, useValue: new GroupsService(database, audit) },
        { provide: SystemSuspension, useValue: systemSuspension },
        { provide: SessionWriter, useValue: new SessionWriter(database) },
        { provide: ContactWriter, useValue: new ContactWriter(database, newDevices, outbox) },
      ],
    };
  }
}
