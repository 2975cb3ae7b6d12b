import {
  awaiting,
  ConfigError,
  type RunningService,
  type ServiceOverrides,
  serviceParts,
  startService,
} from '@lanyard/service';
import { AppModule } from './app.module.js';
import { assemble, type Assembly } from './assembly.js';
import type { DispatcherConfig } from './config.js';
import { openEngines } from './engines.js';

const checkShards = async ({ registry }: Assembly, { queueShards }: DispatcherConfig): Promise<void> => {
  const stored = await registry.fixShardCount();
  if (stored !== queueShards)
    throw new ConfigError('DISPATCHER_QUEUE_SHARDS', `is ${queueShards}, but the queues in Redis have ${stored}`);
};

/** Starts the dispatcher. Rejects when PostgreSQL, Kafka or Redis cannot be reached. */
export const start = async (config: DispatcherConfig, overrides: ServiceOverrides = {}): Promise<RunningService> => {
  const parts = serviceParts(config, overrides);
  const engines = await openEngines(config, parts);
  const assembly = assemble(config, parts, engines);
  const { bus, loop, replicas, sockets, sweeper, reporter, sender, announcer, recovery, consumers, watch } = assembly;
  await awaiting('Redis: number of shards', checkShards(assembly, config));
  await engines.accessKeys.start();
  watch.start();
  await awaiting('Redis: messages of other replicas', bus.start());
  await awaiting('Redis: other replicas', replicas.start());
  await awaiting('Redis: what recovery has to do', recovery.start());
  return startService(
    config,
    {
      title: 'Notification channels',
      module: AppModule.of(assembly),
      strategies: [consumers],
      beforeListen: (app) => sockets.attachTo(app.getHttpServer()),
      afterListen: () => {
        engines.relay.start();
        loop.start();
        sweeper.start();
        reporter.start();
        sender.start();
      },
      beforeStop: async () => {
        // First: a client hears 1012 whichever engine is away.
        await sockets.stop();
        await consumers.close();
        await Promise.all([loop.stop(), watch.stop(), sweeper.stop(), reporter.stop()]);
        await announcer.stop();
      },
      afterStop: async () => {
        recovery.stop();
        await replicas.stop();
        bus.stop();
        sender.close();
        await engines.close();
      },
    },
    parts,
  );
};
