import {
  DeviceCommandResults,
  DeviceCommands,
  DeviceLifecycle,
  type DeviceModelChanged,
  DeviceModels,
  DeviceSessions,
  DeviceValues,
  SubscriptionsState,
} from '@lanyard/contracts';
import { KafkaBatchServer, KafkaConnection, StateReader } from '@lanyard/kafka';
import {
  type ServiceConfig,
  exitOnFatal,
  openDatabase,
  type RunningService,
  type ServiceOverrides,
  serviceParts,
  startService,
} from '@lanyard/service';
import { AppModule } from './app.module.js';
import { app } from './config.js';
import { followModels } from './resources/follow-models.js';
import { purgePeriodMs } from './retention/limits.js';
import { purge } from './retention/purge.js';
import { databaseOf } from './db/database.js';

/** Starts the snapshot service. Rejects when the database or Kafka cannot be reached. */
export const start = async (config: ServiceConfig, overrides: ServiceOverrides = {}): Promise<RunningService> => {
  const parts = serviceParts(config, overrides);
  const { clock, health, logger, metrics } = parts;
  const database = await openDatabase(databaseOf(config));
  const kafka = new KafkaConnection({ ...config.kafka, clientId: config.replicaId, logger, metrics });
  await kafka.ensureTopics([
    DeviceValues,
    DeviceCommands,
    DeviceCommandResults,
    DeviceSessions,
    DeviceLifecycle,
    SubscriptionsState,
    DeviceModels,
  ]);
  const modelReader = new StateReader<DeviceModelChanged>(kafka, DeviceModels, {
    project: (value) => value,
    onFatal: exitOnFatal,
  });
  const models = followModels(modelReader);
  // Values that came while nobody ran are read with the types that hold now.
  await modelReader.start();
  const consumers = new KafkaBatchServer(kafka, { group: app, onFatal: exitOnFatal });
  health.add('postgresql', async () => void (await database.query('SELECT 1')));
  const purging = clock.every(purgePeriodMs, () => {
    purge(database, clock)
      .then((removed) => removed > 0 && logger.info({ removed }, 'snapshots past their life removed'))
      .catch((err: unknown) => logger.error({ err }, 'purge failed, tried again later'));
  });
  return startService(
    config,
    {
      title: 'Device state snapshot',
      module: AppModule.of(database, models),
      strategies: [consumers],
      afterStop: async () => {
        purging.cancel();
        await modelReader.stop();
        await kafka.close();
        await database.destroy();
      },
    },
    parts,
  );
};
