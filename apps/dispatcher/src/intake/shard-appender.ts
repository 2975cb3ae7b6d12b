import type { Clock } from '@lanyard/service';
import { beforeChannelSlackMs, eventLifeMs, queueBytesMax } from '../limits.js';
import type { RenderCode } from '../messages/render-options.js';
import { ChunkBuilder } from '../queue/chunk.js';
import { type AppendOutcome, nothingAppended, type ChannelClaimer } from '../queue/append-outcome.js';
import type { ClaimedChannel, ClaimOffer, WakeUp } from '../queue/channel-queue.js';
import type { ShardKeys } from '../queue/keys.js';
import type { RecentChunks } from '../queue/recent-chunks.js';
import { type Argument, LinkLost, type RedisLink, type Reply } from '../queue/redis-link.js';
import { asList, asNumber, asPairs, asText } from '../queue/reply.js';
import { type ChannelEvents, positionOf } from './audience.js';
import type { IntakeBatch, IntakeEvent } from './intake-event.js';

/** Redis came back without its last writes: the events that it lost must be read from Kafka again. */
export class PositionsLost extends Error {
  constructor(readonly topics: string[]) {
    super(`Redis lost positions of ${topics.join(', ') || 'every topic'}`);
    this.name = 'PositionsLost';
  }
}

/** What the appenders of all shards share. */
interface AppenderParts {
  link: RedisLink;
  clock: Clock;
  /** This replica. */
  owner: string;
  recent: RecentChunks;
  /** undefined: no append claims a channel. */
  claimer?: ChannelClaimer | undefined;
}

/** What one flush appends to one channel. */
interface ChannelAppend {
  channelId: string;
  accountId: string;
  events: number;
  chunks: Buffer[];
  offer: ClaimOffer | undefined;
}

const generationField = 'generation';

/** Number of values for each channel in the reply to an append. */
const channelReplyLength = 6;

/** The positions of a shard that got nothing may lag behind by this much: after a crash, these messages are read again and refused. */
const lagMessagesMax = 50_000n;
export const lagMaxMs = 500;

/** Render codes remembered. With more channels than this, some appends only need a second attempt. */
const rememberedChannels = 100_000;

/** A flush is tried again when Redis reports other positions or render codes. One retry is enough unless consumers compete. */
const attemptsMax = 20;

/**
 * Appends to one shard. Remembers what the shard's positions should be, and sends them along: the command refuses the
 * whole batch when they differ, so a batch is appended once, however often and by whichever replica it is delivered.
 */
export class ShardAppender {
  private readonly expected = new Map<string, bigint>();
  /**
   * How often the expected positions became invalid. A batch that was fetched before such a change is not appended after it:
   * that could leave a gap.
   */
  private invalidations = 0;
  private readonly renderCodes = new Map<string, RenderCode>();
  private shardGeneration = '';
  private movedAtMs = -Infinity;

  constructor(
    private readonly keys: ShardKeys,
    private readonly parts: AppenderParts,
  ) {}

  /** `generation`: of this shard now (`ChannelRegistry.generations`). If it changes, Redis has lost the shard. */
  setGeneration(generation: string): void {
    this.invalidations++;
    this.expected.clear();
    this.shardGeneration = generation;
  }

  /** Last offset appended of each partition, or -1. */
  async storedPositions(topic: string, partitions: readonly number[]): Promise<bigint[]> {
    if (partitions.length === 0) return [];
    const fields = partitions.map((partition) => positionOf({ topic, partition }));
    const stored = await this.parts.link.redis.hmget(this.keys.positions, ...fields);
    return stored.map((text) => BigInt(text ?? -1));
  }

  /** Like `storedPositions`, for a consumer that reads from there: lower positions than before do not count as lost. */
  async readPositions(topic: string, partitions: readonly number[]): Promise<bigint[]> {
    const stored = await this.storedPositions(topic, partitions);
    partitions.forEach((partition, n) => this.setExpected(positionOf({ topic, partition }), stored[n] as bigint));
    return stored;
  }

  /** Moves a position back from `from` to `to`, unless another replica has moved it meanwhile. */
  async rewind(position: string, from: bigint, to: bigint): Promise<void> {
    if (this.expectedOf(position) !== from || from <= to) return;
    const [outcome = null] = await this.runAppend(new Map([[position, to]]), []);
    if (asText(outcome) === 'ok') this.setExpected(position, to);
  }

  /**
   * Appends the events, and moves the positions of the batches with them. Without events for this shard, the positions
   * move later, unless `mustMove` is set or they lag too far. Throws LinkLost when the positions from which the batches
   * were fetched do not hold any more, and PositionsLost when Redis has lost positions.
   */
  async append(
    batches: readonly IntakeBatch[],
    channels: readonly ChannelEvents[],
    mustMove = true,
  ): Promise<AppendOutcome> {
    const { invalidations } = this;
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const positions = this.positionsToReach(batches);
      if (positions.size === 0 || (!mustMove && channels.length === 0 && this.mayLag(positions)))
        return nothingAppended();
      const { epoch } = this.parts.recent;
      const sentAtMs = performance.now();
      const appends = this.appendsOf(channels);
      const reply = await this.runAppend(positions, appends);
      const outcome = asText(reply[0]);
      if (outcome === 'ok') {
        this.movedAtMs = sentAtMs;
        if (invalidations === this.invalidations)
          for (const [position, offset] of positions) this.expected.set(position, offset);
        return this.outcomeOf(reply, appends, epoch, sentAtMs);
      }
      this.withdraw(appends);
      if (invalidations !== this.invalidations) throw new LinkLost();
      if (outcome === 'options') this.learnOptions(asPairs(reply.slice(1)));
      else this.learnPositions(asPairs(reply.slice(1)));
    }
    throw new Error(`shard ${this.keys.shard} changes faster than this replica can append`);
  }

  private async runAppend(positions: ReadonlyMap<string, bigint>, appends: readonly ChannelAppend[]): Promise<Reply[]> {
    try {
      const args = this.argumentsOf(positions, appends);
      const keys = this.keys.forCommand(...appends.map(({ channelId }) => channelId));
      return asList(await this.parts.link.run('append', keys, args));
    } catch (error) {
      this.withdraw(appends);
      throw error;
    }
  }

  private withdraw(appends: readonly ChannelAppend[]): void {
    for (const { offer } of appends) if (offer) this.parts.claimer?.withdraw(offer);
  }

  private mayLag(positions: ReadonlyMap<string, bigint>): boolean {
    if (performance.now() - this.movedAtMs >= lagMaxMs) return false;
    for (const [position, offset] of positions) if (offset - this.expectedOf(position) > lagMessagesMax) return false;
    return true;
  }

  /** Position -> offset to reach, of the partitions that are not there yet. */
  private positionsToReach(batches: readonly IntakeBatch[]): Map<string, bigint> {
    const positions = new Map<string, bigint>();
    for (const batch of batches) {
      const position = positionOf(batch);
      const reached = positions.get(position) ?? this.expectedOf(position);
      if (batch.lastOffset > reached) positions.set(position, batch.lastOffset);
    }
    return positions;
  }

  private setExpected(position: string, offset: bigint): void {
    if (offset < this.expectedOf(position)) this.invalidations++;
    this.expected.set(position, offset);
  }

  private expectedOf(position: string): bigint {
    return this.expected.get(position) ?? -1n;
  }

  private appendsOf(channels: readonly ChannelEvents[]): ChannelAppend[] {
    const appends: ChannelAppend[] = [];
    for (const { channelId, accountId, parts } of channels) {
      const code = this.renderCodes.get(channelId) ?? 0;
      const builder = new ChunkBuilder();
      for (const part of parts)
        for (const event of this.fresh(part)) builder.add(event.item.category, event.rendered(code), event.queuedAtMs);
      const events = builder.count;
      if (events === 0) continue;
      const offer = this.parts.claimer?.offer(channelId);
      appends.push({ channelId, accountId, events, chunks: builder.finish(), offer });
    }
    return appends;
  }

  private argumentsOf(positions: ReadonlyMap<string, bigint>, appends: readonly ChannelAppend[]): Argument[] {
    const now = this.parts.clock.now();
    const args: Argument[] = [now, queueBytesMax, now - eventLifeMs, beforeChannelSlackMs, this.parts.owner];
    args.push(positions.size + 1, generationField, this.shardGeneration, this.shardGeneration);
    for (const [position, offset] of positions) args.push(position, String(this.expectedOf(position)), String(offset));
    args.push(appends.length);
    for (const { channelId, accountId, chunks, offer } of appends) {
      const code = this.renderCodes.get(channelId) ?? 0;
      args.push(channelId, accountId, code, offer?.hold.token ?? '', offer?.revision ?? '', chunks.length, ...chunks);
    }
    return args;
  }

  /** The events that this shard does not have yet. Usually these are all of them. */
  private fresh({ batch, events }: ChannelEvents['parts'][number]): readonly IntakeEvent[] {
    const expected = this.expectedOf(positionOf(batch));
    const [first] = events;
    return first && first.offset > expected ? events : events.filter(({ offset }) => offset > expected);
  }

  private learnOptions(pairs: readonly [string, string][]): void {
    if (this.renderCodes.size > rememberedChannels) this.renderCodes.clear();
    for (const [channelId, code] of pairs) this.renderCodes.set(channelId, Number(code));
  }

  /** A position further than expected: another replica, or an earlier attempt of this one, moved it. Behind: Redis lost something. */
  private learnPositions(pairs: readonly [string, string][]): void {
    const lost = new Set<string>();
    for (const [position, text] of pairs) {
      if (position === generationField) {
        if (text !== this.shardGeneration) throw new PositionsLost([]);
        continue;
      }
      const stored = BigInt(text);
      if (stored < this.expectedOf(position)) lost.add(position.slice(0, position.lastIndexOf(':')));
      this.setExpected(position, stored);
    }
    if (lost.size > 0) throw new PositionsLost([...lost]);
  }

  private outcomeOf(reply: readonly Reply[], appends: ChannelAppend[], epoch: number, sentAtMs: number): AppendOutcome {
    const [, noChannel, early, isReady, bySize, byAge, channelReplies] = reply;
    const skipped = { noChannel: asNumber(noChannel), beforeChannel: asNumber(early) };
    const wake: WakeUp[] = [];
    const claimed: ClaimedChannel[] = [];
    const values = asList(channelReplies ?? []);
    appends.forEach(({ channelId, events, chunks, offer }, n) => {
      const channelReply = values.slice(n * channelReplyLength, (n + 1) * channelReplyLength);
      const [incarnation, to, owner, token, attempt, eventsMax] = channelReply.map((value) => asText(value));
      if (incarnation) this.parts.recent.add(epoch, channelId, incarnation, Number(to), chunks);
      if (offer && attempt)
        claimed.push({
          offer,
          attempt: Number(attempt),
          eventsMax: Number(eventsMax),
          from: Number(to) - events,
          chunks,
        });
      else if (offer) this.parts.claimer?.withdraw(offer);
      const permit = incarnation &&
        token && { incarnation, token, to: Number(to), eventsMax: Number(eventsMax), provenAtMs: sentAtMs };
      if (owner) wake.push({ channelId, owner, ...(permit && { permit }) });
    });
    return {
      callbacksReady: asNumber(isReady) === 1,
      wake,
      claimed,
      events: appends.reduce((sum, { events }) => sum + events, 0) - skipped.noChannel - skipped.beforeChannel,
      skipped,
      dropped: { size: asNumber(bySize), age: asNumber(byAge) },
    };
  }
}
