import {
  decodeMessage,
  DeviceCommandResults,
  DeviceSessions,
  DeviceValues,
  factRetentionMs,
  type FramedItem,
  sliceAhead,
  sliceItem,
  timeOfUid,
} from '@lanyard/contracts';
import { findMessage, type FoundMessage, KafkaConnection, SearchTimedOut } from '@lanyard/kafka';
import { type Clock, formatTimestamp, type Identity } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { deliveryMechanism, type QueueView, queueView, timestamp } from '../channels/channel-view.js';
import { Channel } from '../db/channel.entity.js';
import { renderCodeOf } from '../db/serialization.js';
import { ChannelNotFound, EventNotFound, MalformedUid, TooManySearches } from '../errors.js';
import { Intake } from '../intake/intake.js';
import { KeyScopes } from '../keys/key-scopes.js';
import { render } from '../messages/render.js';
import { ChannelRegistry } from '../queue/channel-registry.js';
import { SharedClock } from '../queue/shared-clock.js';
import { SearchSlots } from './search-slots.js';

/** The channel of a key and the state of its queue. */
export interface ChannelFacts extends Omit<QueueView, 'queue_bytes'> {
  key_id: string;
  delivery_mechanism: string;
  created_at: string;
  /** A socket or a poll is open. */
  connected: boolean;
  failures: number;
  failing_since: string | null;
  stopped: string | null;
}

/** How far an event is on its way to one channel. */
export type Progress = 'on the way' | 'queued' | 'left the queue' | 'older than the channel';

export interface ExplainedEvent {
  uid: string;
  category: string;
  device_id: string;
  /** Of a notification. */
  path?: string;
  /** Of an asynchronous response. */
  async_id?: string;
  /** When it happened, and when Kafka took it. */
  occurred_at: string;
  announced_at: string;
  topic: string;
  partition: number;
  offset: string;
  channels: { progress: Progress; channel: ChannelFacts }[];
  /** Number of keys that the event was for and that have no channel (any more). */
  without_channel: number;
}

/**
 * How far around the time in a uid the search looks: values are sent at once, results of commands through an outbox. The end of
 * a session is announced again half a minute later if its replica died.
 */
const beforeMs = 5_000;
const afterMs = { direct: 30_000, repeated: 90_000, outbox: 900_000 } as const;
const searchTimeoutMs = 20_000;

/** Channels of an account that are looked at for one event. */
const channelsMax = 100;

/**
 * Events at the head of a queue may be older than its `oldest` by this much: those that are stored together, within 5 s, have the
 * time of the youngest, and the clock of their producer may be behind.
 */
const headSpanMs = 10_000;

/** This service's part of explanations: the gateway combines it with the parts of other services. */
@Injectable()
export class Explanations {
  private readonly slots = new SearchSlots();

  constructor(
    private readonly database: DataSource,
    private readonly kafka: KafkaConnection,
    private readonly registry: ChannelRegistry,
    private readonly intake: Intake,
    private readonly scopes: KeyScopes,
    @Inject(SharedClock) private readonly clock: Clock,
  ) {}

  /** The channel of the caller's key. Throws ChannelNotFound. */
  async channel({ keyId, accountId }: Identity): Promise<ChannelFacts> {
    const channel = await this.database.getRepository(Channel).findOneBy({ keyId, accountId });
    if (!channel) throw new ChannelNotFound();
    return this.facts(channel);
  }

  /** Throws MalformedUid, EventNotFound (also for an event of another account), SearchRunning, TooManySearches. */
  async event(caller: Identity, uid: string): Promise<ExplainedEvent> {
    const found = await this.find(caller.accountId, uid);
    const item = found && itemOf(found, uid);
    if (!found || !item || item.accountId !== caller.accountId) throw new EventNotFound();
    const details = detailsOf(found, uid);
    const { keyIds, visible } = await this.audienceOf(item, details.device_id, caller);
    const next = (await this.intake.nextOffsets(found.topic, [found.partition])).get(found.partition) ?? 0n;
    return {
      uid,
      category: item.category,
      ...details,
      announced_at: formatTimestamp(found.timestampMs),
      topic: found.topic,
      partition: found.partition,
      offset: String(found.offset),
      channels: await Promise.all(
        visible.map(async (channel) => {
          const facts = await this.facts(channel);
          return { progress: await this.progressOf(found, item, channel, facts, next), channel: facts };
        }),
      ),
      without_channel: keyIds ? keyIds.length - visible.length : 0,
    };
  }

  /**
   * Administrators see every channel of the account that gets it, others their own. A key that is limited to device groups
   * gets nothing of other devices.
   */
  private async audienceOf(
    { audience }: FramedItem,
    deviceId: string,
    { accountId, keyId, permissions }: Identity,
  ): Promise<{ keyIds: string[] | undefined; visible: Channel[] }> {
    const { maySee } = this.scopes;
    const gets = (id: string): boolean => !maySee || maySee(id, { deviceId });
    const mayAll = permissions.includes('admin');
    const named = audience === '*' ? undefined : audience.filter((id) => (mayAll || id === keyId) && gets(id));
    const keyIds = named?.slice(0, channelsMax) ?? (mayAll ? undefined : [keyId]);
    const found = await this.database.getRepository(Channel).find({
      where: { accountId, ...(keyIds && { keyId: In(keyIds) }) },
      order: { keyId: 'ASC' },
      take: channelsMax,
    });
    return { keyIds: named && keyIds, visible: found.filter((channel) => gets(channel.keyId)) };
  }

  private async find(accountId: string, uid: string): Promise<FoundMessage | undefined> {
    const madeAtMs = timeOfUid(uid);
    if (madeAtMs === undefined) throw new MalformedUid();
    if (madeAtMs < this.clock.now() - factRetentionMs) throw new EventNotFound();
    const stretch = ({ name }: { name: string }, toMs: number): { topic: string; fromMs: number; toMs: number } => ({
      topic: name,
      fromMs: madeAtMs - beforeMs,
      toMs: madeAtMs + toMs,
    });
    const within = [
      stretch(DeviceValues, afterMs.direct),
      stretch(DeviceSessions, afterMs.repeated),
      stretch(DeviceCommandResults, afterMs.outbox),
    ];
    const search = { id: uid, within, timeoutMs: searchTimeoutMs };
    try {
      return await this.slots.run(accountId, () => findMessage(this.kafka, search));
    } catch (error) {
      if (error instanceof SearchTimedOut) throw new TooManySearches();
      throw error;
    }
  }

  private async progressOf(
    found: FoundMessage,
    item: FramedItem,
    channel: Channel,
    facts: ChannelFacts,
    next: bigint,
  ): Promise<Progress> {
    const progress = progressByTime(found, channel, facts, next);
    const isNearHead = facts.oldest !== null && Date.parse(facts.oldest) - found.timestampMs <= headSpanMs;
    if (progress !== 'left the queue' || !isNearHead) return progress;
    const event = render(item, found.timestampMs, renderCodeOf(channel.serialization));
    return (await this.registry.isAtHead(channel.keyId, event)) ? 'queued' : progress;
  }

  private async facts(channel: Channel): Promise<ChannelFacts> {
    const queue = await this.registry.inspect(channel.keyId);
    const { queue_size, oldest, dropped } = queueView({ queue });
    return {
      key_id: channel.keyId,
      delivery_mechanism: deliveryMechanism[channel.kind],
      created_at: formatTimestamp(channel.createdAt),
      connected: queue?.held ?? false,
      queue_size,
      oldest,
      failures: queue?.failuresInRow ?? 0,
      failing_since: timestamp(queue?.failingSinceMs),
      stopped: channel.stopped,
      dropped,
    };
  }
}

/** The message's own item, or the item of an answer that the message carries ahead of its own. */
const itemOf = ({ topic, value, headers }: FoundMessage, uid: string): FramedItem | undefined => {
  const own = sliceItem(topic, value, headers);
  return own && own.uid !== uid ? sliceAhead(topic, own, headers) : own;
};

/** What the fact itself says. */
const detailsOf = (
  { topic, value }: FoundMessage,
  uid: string,
): Pick<ExplainedEvent, 'device_id' | 'occurred_at'> & Partial<Pick<ExplainedEvent, 'path' | 'async_id'>> => {
  if (topic === DeviceValues.name) {
    const { deviceId, observedAt, item, answer } = decodeMessage(DeviceValues, value);
    if (answer?.uid === uid) return { device_id: deviceId, occurred_at: observedAt, async_id: answer.item.id };
    return { device_id: deviceId, occurred_at: observedAt, path: item.path };
  }
  if (topic === DeviceCommandResults.name) {
    const { deviceId, finishedAt, asyncId } = decodeMessage(DeviceCommandResults, value);
    return { device_id: deviceId, occurred_at: finishedAt, async_id: asyncId };
  }
  const { deviceId, occurredAt } = decodeMessage(DeviceSessions, value);
  return { device_id: deviceId, occurred_at: occurredAt };
};

/** `next`: the first offset of the partition that is in no queue yet. */
const progressByTime = (
  { offset, timestampMs }: FoundMessage,
  { createdAt }: Channel,
  { queue_size, oldest }: ChannelFacts,
  next: bigint,
): Progress => {
  if (next <= offset) return 'on the way';
  if (createdAt.getTime() > timestampMs) return 'older than the channel';
  // Queues are in the order of arrival: behind its head is what came later.
  return queue_size !== 0 && oldest !== null && Date.parse(oldest) <= timestampMs ? 'queued' : 'left the queue';
};
