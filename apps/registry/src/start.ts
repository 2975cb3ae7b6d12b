import {
  AccessAccounts,
  DeviceContacts,
  DeviceCredentials,
  DeviceEvents,
  DeviceGroups,
  DeviceLifecycle,
  DeviceSessions,
} from '@lanyard/contracts';
import {
  KafkaBatchServer,
  KafkaConnection,
  KafkaProducer,
  Outbox,
  outboxProducer,
  OutboxRelay,
  StateReader,
} from '@lanyard/kafka';
import {
  exitOnFatal,
  openDatabase,
  type RunningService,
  type ServiceOverrides,
  serviceParts,
  startService,
} from '@lanyard/service';
import { AppModule } from './app.module.js';
import { app, type RegistryConfig } from './config.js';
import { Lifecycle } from './devices/lifecycle.js';
import { MembershipAnnouncer } from './groups/membership-announcer.js';
import { streamImports } from './imports/body-streams.js';
import { ImportRetention } from './imports/import-retention.js';
import { ImportWorker } from './imports/import-worker.js';
import { NewDevices } from './devices/new-devices.js';
import { SystemSuspension } from './suspension/system-suspension.js';
import { DeviceQuotas } from './quotas/device-quotas.js';
import { databaseOf, schema } from './db/database.js';

/** Starts the registry. Rejects when the database or Kafka cannot be reached. */
export const start = async (config: RegistryConfig, overrides: ServiceOverrides = {}): Promise<RunningService> => {
  const parts = serviceParts(config, overrides);
  const { clock, health, logger, metrics } = parts;
  const { databaseUrl, encryptionKey } = config.secrets;
  const database = await openDatabase(databaseOf(config));
  const kafka = new KafkaConnection({ ...config.kafka, clientId: config.replicaId, logger, metrics });
  await kafka.ensureTopics([
    AccessAccounts,
    DeviceContacts,
    DeviceSessions,
    DeviceLifecycle,
    DeviceCredentials,
    DeviceGroups,
    DeviceEvents,
  ]);
  const producer = new KafkaProducer(kafka, { source: app, name: outboxProducer(schema) });
  await producer.connect();
  const relay = new OutboxRelay({ databaseUrl, schema, producer, logger, metrics });
  relay.start();
  const accounts = new StateReader(kafka, AccessAccounts, { project: (v) => v.devicesMax, onFatal: exitOnFatal });
  await accounts.start();
  const outbox = new Outbox(schema, app);
  const lifecycle = new Lifecycle(outbox);
  const newDevices = new NewDevices(lifecycle);
  const quotas = new DeviceQuotas((accountId) => accounts.get(accountId));
  const systemSuspension = new SystemSuspension(database, lifecycle, clock, logger);
  const importWorker = new ImportWorker(database, newDevices, quotas, clock, logger);
  const importRetention = new ImportRetention(database, clock, logger);
  const memberships = new MembershipAnnouncer(database, outbox, clock, logger);
  const background = [importWorker.steps, importRetention.steps, systemSuspension.steps, memberships.steps];
  health.add('postgresql', async () => void (await database.query('SELECT 1')));
  return startService(
    config,
    {
      title: 'Device directory',
      module: AppModule.of({
        database,
        outbox,
        lifecycle,
        newDevices,
        quotas,
        importWorker,
        systemSuspension,
        encryptionKey,
        clock,
      }),
      strategies: [new KafkaBatchServer(kafka, { group: app, onFatal: exitOnFatal })],
      beforeListen: streamImports,
      afterListen: () => {
        for (const steps of background) steps.start();
      },
      beforeStop: async () => {
        for (const steps of background) await steps.stop();
      },
      afterStop: async () => {
        await accounts.stop();
        await relay.stop();
        await producer.disconnect();
        await kafka.close();
        await database.destroy();
      },
    },
    parts,
  );
};
