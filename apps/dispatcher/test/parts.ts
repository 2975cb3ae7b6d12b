import { type Clock, createLogger, Metrics } from '@lanyard/service';
import type { CallbackSender, CallbackTarget } from '../src/callback-client/callback-sender.js';
import { BodyBuffers } from '../src/delivery/body-buffers.js';
import { CallbackDelivery } from '../src/delivery/callback-delivery.js';
import { CallbackRequests } from '../src/delivery/callback-requests.js';
import { CallbackTargets } from '../src/delivery/callback-targets.js';
import { Telemetry } from '../src/delivery/telemetry.js';
import type { AppendNotifier } from '../src/intake/append-notifier.js';
import { Intake } from '../src/intake/intake.js';
import { Replay } from '../src/intake/replay.js';
import { ShardAppenders } from '../src/intake/shard-appenders.js';
import { BodyBudget } from '../src/queue/body-budget.js';
import type { ChannelQueue } from '../src/queue/channel-queue.js';
import type { Keys } from '../src/queue/keys.js';
import { RecentChunks } from '../src/queue/recent-chunks.js';
import type { RedisLink } from '../src/queue/redis-link.js';

const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });

export interface DeliveryParts {
  queue: ChannelQueue;
  sender: CallbackSender;
  clock: Clock;
  /** Whether the key of a channel changed, and the change is not applied to the channel yet. */
  isUndecided?: () => boolean;
  /** What a stored target stands for. */
  open: (sealed: string) => CallbackTarget;
}

/** Delivery to callbacks, on its own. */
export const deliveryOf = ({ queue, sender, clock, isUndecided = () => false, open }: DeliveryParts) => {
  const telemetry = new Telemetry(new Metrics('dispatcher', 'test'), { sent: () => undefined });
  const bodies = new BodyBuffers(new BodyBudget());
  const keyChanges = { has: isUndecided };
  const requests = new CallbackRequests(queue, sender, bodies, clock, keyChanges, telemetry, { add: () => undefined });
  const targets = new CallbackTargets({ readableTargetOf: ({ target }) => open(target ?? '') });
  return new CallbackDelivery(queue, requests, targets, keyChanges, telemetry, logger);
};

/** The intake of the replica `a#1`, whose events are never delivered. */
export const intakeOf = (
  link: RedisLink,
  keys: Keys,
  clock: Clock,
  appended: AppendNotifier['appended'] = () => undefined,
  replay = new Replay(link, keys, logger),
): Intake => {
  const appenders = new ShardAppenders(link, keys, clock, 'a#1', new RecentChunks(0), undefined);
  return new Intake(link, keys, clock, appenders, replay, { appended }, { maySee: undefined });
};
