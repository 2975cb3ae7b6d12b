import {
  AccessKeys,
  ChannelsDrops,
  DeviceCommandResults,
  DeviceEvents,
  DeviceGroups,
  DeviceLifecycle,
  DeviceSessions,
} from '@lanyard/contracts';
import { KafkaBatchServer, KafkaConnection, StateReader } from '@lanyard/kafka';
import {
  exitOnFatal,
  openDatabase,
  type RunningService,
  type ServiceOverrides,
  serviceParts,
  startService,
  type Timer,
} from '@lanyard/service';
import { AppModule } from './app.module.js';
import { app, type EventLogConfig } from './config.js';
import { partitionCheckMs } from './limits.js';
import { Partitions } from './partitions/partitions.js';
import { readerOf, Readers } from './tail/readers.js';
import { StoredCalls } from './tail/stored-calls.js';
import { Streams } from './tail/streams.js';
import { databaseOf } from './db/database.js';

/** Starts the event log. Rejects when the database or Kafka cannot be reached. */
export const start = async (config: EventLogConfig, overrides: ServiceOverrides = {}): Promise<RunningService> => {
  const parts = serviceParts(config, overrides);
  const { clock, health, logger, metrics } = parts;
  const { databaseUrl } = config.secrets;
  const database = await openDatabase(databaseOf(config));
  const partitions = new Partitions(database, clock, config.retentionDays);
  await partitions.ensure();
  const kafka = new KafkaConnection({ ...config.kafka, clientId: config.replicaId, logger, metrics });
  await kafka.ensureTopics([
    DeviceSessions,
    DeviceLifecycle,
    ChannelsDrops,
    DeviceEvents,
    DeviceGroups,
    AccessKeys,
    DeviceCommandResults,
  ]);
  const keys = new StateReader(kafka, AccessKeys, { project: readerOf, onFatal: exitOnFatal });
  const streams = new Streams({ readers: new Readers(keys), clock, logger, metrics });
  const calls = new StoredCalls(databaseUrl, logger, (accountId) => streams.grown(accountId));
  const consumers = new KafkaBatchServer(kafka, { group: app, onFatal: exitOnFatal });
  health.add('postgresql', async () => void (await database.query('SELECT 1')));
  const keep = async (): Promise<void> => {
    try {
      const kept = await partitions.keep();
      if (kept.dropped + kept.removed > 0) logger.info(kept, 'entries past their life removed');
    } catch (err) {
      logger.error({ err }, 'partitions not kept, tried again later');
    }
  };
  let keeping: Timer | undefined;
  return startService(
    config,
    {
      title: 'Device event log',
      module: AppModule.of(database, streams, clock),
      strategies: [consumers],
      beforeListen: () => Promise.all([keys.start(), calls.start()]).then(() => undefined),
      afterListen: async () => {
        await keep();
        keeping = clock.every(partitionCheckMs, () => void keep());
      },
      beforeStop: () => streams.endAll('restart'),
      afterStop: async () => {
        keeping?.cancel();
        await calls.stop();
        await keys.stop();
        await kafka.close();
        await database.destroy();
      },
    },
    parts,
  );
};
