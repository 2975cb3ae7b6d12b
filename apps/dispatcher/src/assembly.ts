import { randomBytes } from 'node:crypto';
import { KafkaBatchServer } from '@lanyard/kafka';
import { exitOnFatal, open, type ServiceParts } from '@lanyard/service';
import { ChannelStore } from './channels/channel-store.js';
import { Channels } from './channels/channels.js';
import { ConnectionAnnouncer } from './channels/connection-announcer.js';
import { DropReporter } from './channels/drop-reporter.js';
import { KeyDirectory } from './keys/key-directory.js';
import { KeyWatch } from './channels/key-watch.js';
import { Repair } from './channels/repair.js';
import { SigningSecrets } from './channels/signing-secrets.js';
import { Sweeper } from './channels/sweeper.js';
import { app, type DispatcherConfig } from './config.js';
import { AddressGuard } from './callback-client/address-guard.js';
import { BodyBuffers } from './delivery/body-buffers.js';
import { Bus } from './replicas/bus.js';
import { CallbackDelivery } from './delivery/callback-delivery.js';
import { CallbackSender, type CallbackTarget } from './callback-client/callback-sender.js';
import { Holders } from './replicas/holders.js';
import { Pull } from './delivery/pull.js';
import { ReadyLoop } from './delivery/ready-loop.js';
import { Replicas } from './replicas/replicas.js';
import { Telemetry } from './delivery/telemetry.js';
import { UnderWay } from './delivery/under-way.js';
import { WebSocketServer } from './delivery/websocket-server.js';
import { type Engines, sources } from './engines.js';
import { Explanations } from './explain/explanations.js';
import { Intake } from './intake/intake.js';
import { KafkaPositions } from './intake/kafka-positions.js';
import { Replay } from './intake/replay.js';
import { ChannelQueue } from './queue/channel-queue.js';
import { ChannelRegistry } from './queue/channel-registry.js';
import { LocalClock } from './queue/local-clock.js';
import { Keys } from './queue/keys.js';
import { RecentChunks } from './queue/recent-chunks.js';
import { Recovery } from './recovery.js';
import { EventTraces } from './tracing/event-traces.js';

export type Assembly = ReturnType<typeof assemble>;

/** Everything that runs in one replica, put together once. Nothing is started here. */
export const assemble = (
  config: DispatcherConfig,
  { logger, metrics, tracing, clock: ownClock }: ServiceParts,
  engines: Engines,
) => {
  const { link, intakeLink, clock } = engines;
  const localClock = new LocalClock(ownClock);
  const { encryptionKey } = config.secrets;
  const owner = `${config.replicaId}#${randomBytes(6).toString('hex')}`;
  const redisKeys = new Keys(config.redisPrefix, config.queueShards);
  const telemetry = new Telemetry(metrics);
  const holders = new Holders();
  const bus = new Bus(config.secrets.redisUrl, link.redis, redisKeys, owner, holders, logger);

  const registry = new ChannelRegistry(link, redisKeys, clock);
  const recent = new RecentChunks(config.recentBytesMax);
  for (const each of [link, intakeLink]) each.onLost(() => recent.forget());
  telemetry.recentBytes(() => recent.size);
  const bodies = new BodyBuffers();
  const queue = new ChannelQueue(link, redisKeys, clock, owner, recent, () => bodies.budget.bodyBytesMax);
  const traces = new EventTraces(tracing, link, redisKeys, logger);
  const store = new ChannelStore(engines.database, engines.outbox, clock);
  const keys = new KeyDirectory(engines.accessKeys, clock);
  const guard = new AddressGuard(config.callback.allowCidrs);
  const sender = new CallbackSender(guard, localClock, config.callback.authorities);
  const delivery = new CallbackDelivery(queue, sender, bodies, clock, telemetry, logger, {
    isUndecided: (channelId) => watch.isUndecided(channelId),
    onFailedForTooLong: (channelId) => sweeper.expire(channelId, 'failed'),
    unseal: (sealed) => JSON.parse(open(encryptionKey, sealed)) as CallbackTarget,
    onSent: (channelId, message) => traces.sent('callback', channelId, message),
  });
  const channels = new Channels({
    store,
    registry,
    sender,
    guard,
    bus,
    clock,
    logger,
    encryptionKey,
    keys,
    delivery,
    onDropped: (drops) => telemetry.dropped(drops),
  });
  const watch = new KeyWatch(keys, channels, clock, logger);
  const sweeper = new Sweeper(registry, channels, clock, logger);
  const announcer = new ConnectionAnnouncer(store, registry, clock, logger);
  const reporter = new DropReporter(store, registry, clock, logger, (drops) => telemetry.dropped(drops));
  const repair = new Repair(store, registry, channels, keys, logger);

  const underWay = new UnderWay(localClock, config.callback.concurrency);
  const loop = new ReadyLoop(link, redisKeys, clock, owner, delivery, holders, logger, underWay);
  const replicas = new Replicas(link, redisKeys, clock, owner, logger, {
    sockets: (lost) => {
      for (const channelId of lost) announcer.changed(channelId);
    },
    replica: (replicaId) => void consumers.evict(replicaId),
  });
  const sockets = new WebSocketServer(
    queue,
    bodies,
    keys,
    holders,
    bus,
    localClock,
    telemetry,
    logger,
    (channelId) => announcer.changed(channelId),
    (channelId, message) => traces.sent('websocket', channelId, message),
    async ({ keyId, accountId }) => {
      const channel = await store.find(keyId);
      return channel?.kind === 'websocket' && channel.accountId === accountId;
    },
  );
  const pull = new Pull(queue, holders, localClock, telemetry, (poller, isKnown) =>
    channels.ensurePull(poller, isKnown),
  );

  const replay = new Replay(intakeLink, redisKeys, logger);
  telemetry.replay(() => replay.left());
  const intake = new Intake(intakeLink, redisKeys, clock, owner, recent, loop, replay);
  const stored = new KafkaPositions({
    intake,
    kafka: engines.kafka,
    replay,
    replayMaxMs: config.replayMaxMs,
    clock,
    logger,
    onSetBack: (topic) => telemetry.setBack(topic),
  });
  const positions = Object.fromEntries(sources.map(({ name }) => [name, stored]));
  const consumers = new KafkaBatchServer(engines.kafka, { group: app, positions, onFatal: exitOnFatal });
  const reseek = (): void => {
    for (const { name } of sources) consumers.reseek(name);
  };
  const recovery = new Recovery({
    links: [link, intakeLink],
    registry,
    repair,
    intake,
    replicas,
    holders,
    clock,
    logger,
    reseek,
  });
  intake.listen({
    appended: (outcome, isReplay) => {
      telemetry.appended(outcome, isReplay);
      bus.wake(outcome.wake);
      for (const taken of outcome.taken) loop.take(taken);
      for (const given of outcome.given) delivery.give(given);
      if (outcome.callbacksReady) loop.kick();
    },
    positionsLost: (topics) => {
      logger.error({ topics }, 'Redis is behind what was appended');
      recovery.begin();
    },
  });
  return {
    store,
    channels,
    secrets: new SigningSecrets(channels, clock),
    pull,
    traces,
    explanations: new Explanations({ database: engines.database, kafka: engines.kafka, registry, intake, clock }),
    intake,
    arrivals: engines.arrivals,
    keys,
    watch,
    registry,
    bus,
    loop,
    replicas,
    sockets,
    sweeper,
    reporter,
    sender,
    announcer,
    recovery,
    consumers,
  };
};
