import { randomUUID } from 'node:crypto';
import type { Clock } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { eventLifeMs, freeTierRetries } from '../limits.js';
import { type EventBatch, type BatchLimits, type Cursor, cutBatch, cutBatches, type Extent } from './event-batch.js';
import { BodyBudget } from './body-budget.js';
import { eventsIn } from './chunk.js';
import { Keys } from './keys.js';
import { groupByCategory, regroupLimits } from './regrouping.js';
import { chunksFrom, RecentChunks, type Run, runArguments } from './recent-chunks.js';
import { type Argument, LinkLost, RedisLink, type Reply } from './redis-link.js';
import { asList, asNumber, asText } from './reply.js';
import type { CommandName } from './scripts.js';
import { SharedClock } from './shared-clock.js';
import { OWNER } from './tokens.js';

/** This replica's hold on a channel. Void once another replica claims it, or Redis was lost. */
export interface Hold {
  channelId: string;
  token: string;
  /** The link's era when the channel was claimed. */
  era: number;
}

export interface Claim {
  hold: Hold;
  batch: EventBatch;
  /** Failures in a row before this one. */
  attempt: number;
  revision: string;
  /** Sealed URL and headers; '' when the caller knows this revision. */
  target: string;
}

/** An offer to claim a callback channel in the append that fills it. */
export interface ClaimOffer {
  hold: Hold;
  /** Revision of the target that the claimer knows. */
  revision: string;
  /** A time before Redis was asked, by this process' own clock. */
  provenAtMs: number;
}

/** A callback channel with an empty queue that was claimed by the append that filled it. */
export interface ClaimedChannel {
  offer: ClaimOffer;
  /** Failures in a row. */
  attempt: number;
  eventsMax: number;
  /** Number of its first event. */
  from: number;
  chunks: readonly Buffer[];
}

/** Lets this replica's own socket send events that were just appended, without asking Redis. */
export interface PushPermit {
  incarnation: string;
  token: string;
  /** The number after the last of these events. */
  to: number;
  eventsMax: number;
  provenAtMs: number;
}

/** A channel that got events, and the replica that holds it. */
export interface WakeUp {
  channelId: string;
  owner: string;
  permit?: PushPermit;
}

export interface AttachRequest {
  conn: string;
  mode: 'newest' | 'free';
  kind: 'websocket' | 'pull';
  /** The last answer that the poll's client has, as `incarnation/to`. If absent, the last answer counts as received. */
  after?: string;
  /** The client's address. */
  address?: string;
}

export type Attached =
  | { outcome: 'ok'; hold: Hold; cursor: Cursor; incarnation: string; previous?: { owner: string; conn: string } }
  | { outcome: 'missing' | 'busy' }
  | { outcome: 'kind'; kind: string };

/** `behind`: the batches that follow `batch`, read together with it. */
export type ReadBatch =
  | { outcome: 'ok'; batch: EventBatch; behind: readonly EventBatch[]; cursor: Cursor }
  | { outcome: 'empty' }
  | { outcome: 'fenced' };

/** `waiting`: events of a poll that may be put into another order before the batch is sent. */
type Read =
  | (Extract<ReadBatch, { outcome: 'ok' }> & { waiting: number; limits: BatchLimits })
  | Exclude<ReadBatch, { outcome: 'ok' }>;

/** A batch to send. `incarnation`: the one that its queue got because its events were put into another order. */
export interface Ordered {
  batch: EventBatch;
  incarnation?: string;
}

type ReadOrdered = ({ outcome: 'ok' } & Ordered) | Exclude<ReadBatch, { outcome: 'ok' }>;

export type Acked =
  { outcome: 'next'; batch: EventBatch } | { outcome: 'released'; more: boolean } | { outcome: 'fenced' };

export type Failed = { outcome: 'ok'; attempt: number; failingForMs: number; givenUp: number } | { outcome: 'fenced' };

interface AckOptions {
  mode: 'hold' | 'next' | 'release';
  /** The revision that the caller knows; '' when it does not matter. */
  revision: string;
  lingerUntilMs?: number;
  bytesMax?: number;
  run?: Run | undefined;
}

const fenced = { outcome: 'fenced' } as const;

const releaseRetryMs = 1_000;

/** Fewer waiting events keep their order: they are sent in a moment anyway. */
const regroupWaitingMin = 32;

/** A push permit expires after this time, because a process may pause at any point and find its channel taken. */
const permitMaxMs = 1_000;

/**
 * What delivery does with queues: claim or attach, read, confirm. Every hold has a token that the commands compare,
 * so that a replica which was considered dead, or acts on what Redis has forgotten, changes nothing.
 */
@Injectable()
export class ChannelQueue {
  constructor(
    private readonly link: RedisLink,
    private readonly keys: Keys,
    @Inject(SharedClock) private readonly clock: Clock,
    @Inject(OWNER) private readonly owner: string,
    private readonly recent: RecentChunks,
    private readonly budget: BodyBudget,
  ) {}

  /** An offer with which an append may claim a callback channel. */
  offer(channelId: string, revision: string): ClaimOffer {
    return { hold: this.newHold(channelId), revision, provenAtMs: performance.now() };
  }

  /** Claims a due callback channel. undefined: not due any more, or claimed by another replica. */
  async claim(channelId: string, knownRevision: string): Promise<Claim | undefined> {
    const hold = this.newHold(channelId);
    const run = this.recent.run(channelId);
    const { bodyBytesMax: bytesMax } = this.budget;
    const args = [channelId, this.owner, hold.token, ...this.nowAndOldest(), bytesMax, knownRevision];
    const reply = await this.run('claim', channelId, [...args, ...runArguments(run)]);
    if (asText(reply[0]) !== 'ok' || (await this.freeIfVoid(hold))) return undefined;
    const [, attempt, max, revision, target, head, skip, waiting, ...chunks] = reply;
    const limits = { eventsMax: asNumber(max), bytesMax };
    try {
      const first = cutBatch(...this.chunksOf(chunks, { next: asNumber(head), skip: asNumber(skip) }, run), limits);
      const ordered = await this.regrouped(hold, first, asNumber(waiting), limits);
      const about = { attempt: asNumber(attempt), revision: asText(revision), target: asText(target) };
      return ordered && { hold, batch: ordered.batch, ...about };
    } catch (error) {
      // Otherwise no replica could claim it until this process ends.
      await this.release(hold);
      throw error;
    }
  }

  /** The claim of a channel that an append claimed: its chunks need not be read. */
  claimFrom({ offer, attempt, eventsMax, from, chunks }: ClaimedChannel): Claim {
    const batch = cutBatch(chunks, from, 0, { eventsMax, bytesMax: this.budget.bodyBytesMax });
    return { hold: offer.hold, batch, attempt, revision: offer.revision, target: '' };
  }

  /** A socket or a poll claims its channel. */
  async attach(channelId: string, accountId: string, request: AttachRequest): Promise<Attached> {
    const { conn, mode, kind, after = '', address = '' } = request;
    const hold = this.newHold(channelId);
    const how = [this.owner, conn, hold.token, this.clock.now(), mode, after, address];
    const args = [channelId, accountId, kind, ...how];
    const reply = await this.run('attach', channelId, args);
    const outcome = asText(reply[0]);
    if (outcome === 'kind') return { outcome, kind: asText(reply[1]) };
    if (outcome !== 'ok') return { outcome: outcome === 'busy' ? 'busy' : 'missing' };
    const previous = { owner: asText(reply[3]), conn: asText(reply[4]) };
    const replaced = !['', conn].includes(previous.conn) && { previous };
    if (await this.freeIfVoid(hold)) {
      const again = await this.attach(channelId, accountId, request);
      // With the release, Redis forgot which socket this one replaces.
      return again.outcome === 'ok' ? { ...replaced, ...again } : again;
    }
    const head = asNumber(reply[1]);
    const cursor = { next: head, head, index: 0, skip: asNumber(reply[2]) };
    return { outcome, hold, cursor, incarnation: asText(reply[5]), ...replaced };
  }

  /** The batch at the cursor of a socket, and small ones behind it, up to `aheadBytesMax` bytes in all. Nothing is removed. */
  async readBatch(hold: Hold, cursor: Cursor, aheadBytesMax = 0): Promise<ReadBatch> {
    return this.read(hold, cursor, this.budget.socketMessageBytesMax, aheadBytesMax);
  }

  /** The first batch of a poll. Where categories alternate, what waits is put into another order before. Nothing is removed. */
  async readOrdered(hold: Hold, cursor: Cursor): Promise<ReadOrdered> {
    const read = await this.read(hold, cursor, this.budget.bodyBytesMax);
    if (read.outcome !== 'ok') return read;
    const ordered = await this.regrouped(hold, read.batch, read.waiting, read.limits);
    return ordered ? { outcome: 'ok', ...ordered } : fenced;
  }

  /** The batch of a socket from event `next` on, as far as this replica has it and may send it; undefined: ask Redis. */
  readPushed(hold: Hold, next: number, permit: PushPermit): EventBatch | undefined {
    if (permit.token !== hold.token || performance.now() - permit.provenAtMs > permitMaxMs) return undefined;
    if (hold.era !== this.link.era) return undefined;
    const run = this.recent.run(hold.channelId, next);
    const left = permit.to - next;
    if (run?.incarnation !== permit.incarnation || left <= 0) return undefined;
    const limits = { eventsMax: Math.min(permit.eventsMax, left), bytesMax: this.budget.socketMessageBytesMax };
    return cutBatch(...this.chunksOf([], { next, skip: 0 }, run), limits);
  }

  /** The batch arrived; the channel stays held. False when this hold is void. */
  async confirm(hold: Hold, extent: Extent): Promise<boolean> {
    const [outcome] = await this.sendAck(hold, extent, { mode: 'hold', revision: '' });
    return asText(outcome) === 'held';
  }

  /**
   * The batch arrived: reads the next one, or releases the channel. `revision`: the one that the caller knows; a channel that
   * was changed since then is released, so that nothing more is sent to its previous URL.
   */
  async ack(
    hold: Hold,
    extent: Extent,
    mode: 'next' | 'release',
    { lingerMs = 0, revision = '' } = {},
  ): Promise<Acked> {
    const lingerUntilMs = lingerMs && this.clock.now() + lingerMs;
    const run = mode === 'next' ? this.recent.run(hold.channelId, extent.to) : undefined;
    const { bodyBytesMax: bytesMax } = this.budget;
    const reply = await this.sendAck(hold, extent, { mode, revision, lingerUntilMs, bytesMax, run });
    const outcome = asText(reply[0]);
    if (outcome === 'released') return { outcome, more: asNumber(reply[1]) === 1 };
    if (outcome !== 'next') return fenced;
    const [, max, head, skip, waiting, ...chunks] = reply;
    const limits = { eventsMax: asNumber(max), bytesMax };
    const first = cutBatch(...this.chunksOf(chunks, { next: asNumber(head), skip: asNumber(skip) }, run), limits);
    const ordered = await this.regrouped(hold, first, asNumber(waiting), limits);
    return ordered ? { outcome, batch: ordered.batch } : fenced;
  }

  /** A callback did not accept the batch; it is due again after `waitMs`. `revision`: of the target it was sent to. */
  async fail(hold: Hold, extent: Extent, waitMs: number, revision: string): Promise<Failed> {
    const now = this.clock.now();
    const { from, to, chunks, cost, skip } = extent;
    const args = [hold.channelId, hold.token, now, now + waitMs, freeTierRetries, from, to, chunks, cost, skip];
    const reply = await this.runHeld(hold, 'fail', [...args, revision]);
    if (asText(reply[0]) !== 'ok') return fenced;
    const [, attempt, since, givenUp] = reply;
    return {
      outcome: 'ok',
      attempt: asNumber(attempt),
      failingForMs: now - asNumber(since),
      givenUp: asNumber(givenUp),
    };
  }

  /** Whether this replica still holds a claimed callback, with the same URL and not stopped. */
  async holds(hold: Hold, revision: string): Promise<boolean> {
    const [holds] = await this.runHeld(hold, 'holds', [hold.token, revision]);
    return asNumber(holds) === 1;
  }

  /** Postpones a due channel by `byMs` from now. */
  async postpone(channelId: string, byMs: number): Promise<void> {
    await this.run('postpone', channelId, [channelId, this.clock.now() + byMs]);
  }

  /**
   * Releases the channel. `sentTo`: the events before this number were sent, either in a poll's answer, which the next poll
   * confirms, or in a callback's request, which is repeated unchanged.
   */
  async detach(hold: Hold, sentTo?: number): Promise<boolean> {
    const [detached] = await this.runHeld(hold, 'detach', [hold.channelId, hold.token, this.clock.now(), sentTo ?? '']);
    return asNumber(detached) === 1;
  }

  /** Retries until the channel is released: no other replica gets it before. */
  async release(hold: Hold, sentTo?: number): Promise<boolean> {
    for (;;) {
      try {
        return await this.detach(hold, sentTo);
      } catch {
        // Redis refuses, or is slow. When Redis is lost, the hold is lost too, and `detach` returns false.
        await this.clock.sleep(releaseRetryMs);
      }
    }
  }

  /**
   * Releases the channel if the link was lost since its claim was sent, and returns whether it was. The claim may reach Redis after the
   * recovery has released what this replica holds. No other command of a void hold is sent, so the channel would stay held.
   */
  async freeIfVoid(hold: Hold): Promise<boolean> {
    const { era } = this.link;
    if (hold.era === era) return false;
    await this.release({ ...hold, era });
    return true;
  }

  /** The answer of a poll did not arrive after all: its events, up to `pendingTo` of this incarnation, come again. */
  async requeuePending(channelId: string, pendingTo: number, incarnation: string): Promise<void> {
    await this.run('requeue-pending', channelId, [pendingTo, incarnation]);
  }

  private async read(hold: Hold, cursor: Cursor, bytesMax: number, aheadBytesMax = 0): Promise<Read> {
    const run = this.recent.run(hold.channelId, cursor.next);
    const place = [cursor.next, cursor.head, cursor.index, cursor.skip, aheadBytesMax, ...runArguments(run)];
    const args = [hold.channelId, hold.token, this.oldest(), bytesMax, ...place];
    const reply = await this.runHeld(hold, 'read', args);
    const outcome = asText(reply[0]);
    if (outcome === 'fenced' || outcome === 'empty') return { outcome };
    const [, max, from, head, index, skip, waiting, ...chunks] = reply;
    const at = { next: asNumber(from), head: asNumber(head), index: asNumber(index), skip: asNumber(skip) };
    const limits = { eventsMax: asNumber(max), bytesMax };
    const [batch, ...behind] = cutBatches(...this.chunksOf(chunks, at, run), limits, aheadBytesMax);
    return { outcome: 'ok', batch, behind, cursor: at, waiting: asNumber(waiting), limits };
  }

  /**
   * The batch to send in place of this one, which is not sent yet. Where categories alternate, each message holds only a few
   * events, because it has a single category, and a slow receiver would never catch up. So waiting events are put into
   * another order. undefined: the channel is no longer held.
   */
  private async regrouped(
    hold: Hold,
    batch: EventBatch,
    waiting: number,
    limits: BatchLimits,
  ): Promise<Ordered | undefined> {
    const { from, count, message } = batch;
    const isSmall = count * 2 <= Math.min(waiting, limits.eventsMax) && message.bytes * 2 <= limits.bytesMax;
    if (!isSmall || waiting < regroupWaitingMin) return { batch };
    const place = [hold.channelId, hold.token, from];
    const [held = null, ...oldest] = await this.runHeld(hold, 'oldest', [...place, ...regroupLimits]);
    if (asText(held) === 'fenced') return undefined;
    if (oldest.length === 0) return { batch };
    const chunks = groupByCategory(oldest as Buffer[]);
    const next = chunks ? cutBatch(chunks, from, 0, limits) : batch;
    const orderedTo = from + eventsIn(oldest as Buffer[]);
    const [outcome = null, incarnation = null] = await this.runHeld(hold, 'regroup', [
      ...place,
      next.to,
      orderedTo,
      oldest.length,
      ...(chunks ?? []),
    ]);
    if (asText(outcome) === 'fenced') return undefined;
    return asText(outcome) === 'ok' ? { batch: next, incarnation: asText(incarnation) } : { batch };
  }

  private async sendAck(
    hold: Hold,
    { from, to, chunks, cost, skip }: Extent,
    { mode, revision, lingerUntilMs = 0, bytesMax = 0, run }: AckOptions,
  ): Promise<Reply[]> {
    const args = [hold.channelId, hold.token, ...this.nowAndOldest(), from, to, chunks, cost, skip, mode];
    const how = [bytesMax, lingerUntilMs, revision, ...runArguments(run)];
    const reply = await this.runHeld(hold, 'ack', [...args, ...how]);
    this.recent.confirmed(hold.channelId, to);
    return reply;
  }

  private async run(name: CommandName, channelId: string, args: readonly Argument[]): Promise<Reply[]> {
    return asList(await this.link.run(name, this.keys.forCommand(channelId), args));
  }

  /** Runs only in the era in which the channel was claimed: in a later one, the hold is void. */
  private async runHeld({ channelId, era }: Hold, name: CommandName, args: readonly Argument[]): Promise<Reply[]> {
    try {
      return asList(await this.link.guarded(era, name, this.keys.forCommand(channelId), args));
    } catch (error) {
      if (error instanceof LinkLost) return [Buffer.from('fenced')];
      throw error;
    }
  }

  private newHold(channelId: string): Hold {
    return { channelId, token: randomUUID(), era: this.link.era };
  }

  /**
   * The chunks, the number of the first event that is wanted, and how many of their events are before it. When Redis returns
   * no chunks, it has checked that those in `run` are current.
   */
  private chunksOf(
    stored: readonly Reply[],
    { next, skip }: Pick<Cursor, 'next' | 'skip'>,
    run: Run | undefined,
  ): [readonly Buffer[], number, number] {
    if (stored.length > 0 || !run) return [stored as Buffer[], next, skip];
    const own = chunksFrom(run, next);
    return [own.chunks, next, own.skip];
  }

  private oldest(): number {
    return this.clock.now() - eventLifeMs;
  }

  private nowAndOldest(): [number, number] {
    return [this.clock.now(), this.oldest()];
  }
}
