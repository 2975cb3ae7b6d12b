import { ChannelsDrops, DeviceEvents, DeviceLifecycle, DeviceSessions } from '@lanyard/contracts';
import { KafkaBatchServer, KafkaConnection } from '@lanyard/kafka';
import {
  type CommonConfig,
  exitOnFatal,
  openDatabase,
  type RunningService,
  type ServiceOverrides,
  serviceParts,
  startService,
} from '@lanyard/service';
import { AppModule } from './app.module.js';
import { app } from './config.js';
import { DeviceEvents1732147200000 } from './db/migrations/1732147200000-device-events.js';
import { EntriesStore } from './log/entries.store.js';

const partitionCheckMs = 6 * 3_600_000;

/** Starts the event log. Rejects when the database or Kafka cannot be reached. */
export const start = async (config: CommonConfig, overrides: ServiceOverrides = {}): Promise<RunningService> => {
  const parts = serviceParts(config, overrides);
  const { clock, health, logger, metrics } = parts;
  const database = await openDatabase({
    url: config.secrets.databaseUrl,
    schema: 'event_log',
    entities: [],
    migrations: [DeviceEvents1732147200000],
    applicationName: config.replicaId,
  });
  const entries = new EntriesStore(database, clock);
  await entries.ensurePartitions();
  const kafka = new KafkaConnection({ ...config.kafka, clientId: config.replicaId, logger, metrics });
  await kafka.ensureTopics([DeviceSessions, DeviceLifecycle, ChannelsDrops, DeviceEvents]);
  const consumers = new KafkaBatchServer(kafka, { group: app, onFatal: exitOnFatal });
  health.add('postgresql', async () => void (await database.query('SELECT 1')));
  const partitions = clock.every(partitionCheckMs, () => {
    entries.ensurePartitions().catch((err: unknown) => logger.error({ err }, 'no partition for the coming months'));
  });
  return startService(
    config,
    {
      title: 'Device event log',
      module: AppModule.of(database, entries),
      strategies: [consumers],
      afterStop: async () => {
        partitions.cancel();
        await kafka.close();
        await database.destroy();
      },
    },
    parts,
  );
};
