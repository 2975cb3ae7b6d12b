import { setMaxListeners } from 'node:events';
import type { Clock, Logger, Timer } from '@lanyard/service';
import type { Taker } from '../intake/shard-appender.js';
import type { TakenChannel, Taking } from '../queue/channel-queue.js';
import { channelIn, type Keys, rangeOf } from '../queue/keys.js';
import type { RedisLink } from '../queue/redis-link.js';
import type { CallbackDelivery, Turn } from './callback-delivery.js';
import type { Holders } from '../replicas/holders.js';
import { slowAfterMs, type UnderWay } from './under-way.js';

/** How often a replica looks for work that others left, while there is some. */
const pollMs = 100;

/** … and while it finds nothing. What falls due by itself is seen this long before, and looked for in time. */
const idlePollMs = 500;

/** While others wait for a place, a channel that never runs dry gives its own back after this many batches. */
const batchesInARow = 16;

/** How long a slow channel is out of the way of others. */
const postponeMs = 1_000;

/** Of WITHSCORES. */
const pairs = (list: readonly string[]): [channelId: string, atMs: number][] =>
  Array.from({ length: list.length / 2 }, (_, n) => [list[2 * n] as string, Number(list[2 * n + 1])]);

/** How long a stop waits for requests under way. */
const drainMs = 3_000;

/**
 * Finds callback channels that are due and delivers as many of them at once as there are places, one request per channel. A
 * channel that had nothing to send is taken while it gets something, as long as there is room.
 * Also wakes sockets and polls whose channel got something.
 */
export class ReadyLoop implements Taker {
  private readonly aborting = new AbortController();
  private nextLook: Timer | undefined;
  private looking: Promise<void> | undefined;
  private lookAgain = false;
  /** There were more due channels than places. */
  private isCrowded = false;
  private stopped = false;

  constructor(
    private readonly link: RedisLink,
    private readonly keys: Keys,
    private readonly clock: Clock,
    private readonly owner: string,
    private readonly delivery: CallbackDelivery,
    private readonly holders: Holders,
    private readonly logger: Logger,
    private readonly underWay: UnderWay,
  ) {}

  start(): void {
    // Every request under way listens to it.
    setMaxListeners(0, this.aborting.signal);
    this.kick();
  }

  /** Something may be due. */
  kick(): void {
    if (this.stopped) return;
    if (this.looking) {
      this.lookAgain = true;
      return;
    }
    this.nextLook?.cancel();
    this.looking = this.look().then((waitMs) => {
      this.looking = undefined;
      if (this.stopped) return;
      if (!this.lookAgain) {
        this.nextLook = this.clock.after(waitMs, () => this.kick());
        return;
      }
      this.lookAgain = false;
      this.kick();
    });
  }

  offer(channelId: string): Taking | undefined {
    if (this.stopped) return undefined;
    const taking = this.delivery.taking(channelId);
    if (!taking) return undefined;
    const place = this.underWay.promise(channelId);
    taking.isPromised = place === 'promised';
    return place === 'none' ? undefined : taking;
  }

  withdraw({ isPromised }: Taking): void {
    if (isPromised) this.underWay.redeem();
  }

  /** What was offered was taken: it is delivered, or given back. */
  take(taken: TakenChannel): void {
    const { channelId } = taken.taking.hold;
    // Somebody may still be finding out that it is not due any more.
    const before = this.underWay.end(channelId);
    this.withdraw(taken.taking);
    this.deliver(channelId, async (turn) => {
      await before;
      if (this.stopped) return this.delivery.giveBack(taken);
      return this.delivery.deliverTaken(taken, turn);
    });
  }

  /** Claims nothing more, lets requests end for a while, and gives the rest back. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.nextLook?.cancel();
    await this.looking;
    const all = Promise.all(this.underWay.ends());
    const drained = new AbortController();
    await Promise.race([all, this.clock.sleep(drainMs, drained.signal)]);
    drained.abort();
    this.aborting.abort();
    await all;
  }

  /** Answers when to look again, if nobody calls. */
  private async look(): Promise<number> {
    try {
      const { due, held, nextInMs } = await this.find();
      for (const channelId of held) this.holders.wake(channelId);
      for (const channelId of due) this.begin(channelId);
      return this.underWay.size > 0 || held.length > 0 ? Math.min(pollMs, nextInMs) : nextInMs;
    } catch (err) {
      this.logger.debug({ err }, 'Redis does not say what is due');
      return pollMs;
    }
  }

  private async find(): Promise<{ due: string[]; held: string[]; nextInMs: number }> {
    const { free } = this.underWay;
    const now = this.clock.now();
    const soon = now + idlePollMs;
    const { shards } = this.keys;
    const lists = (await this.link.together([
      ...shards.map(({ ready }) => ['zrangebyscore', ready, '-inf', soon, 'WITHSCORES', 'LIMIT', 0, free + 1] as const),
      ...shards.map(({ woken }) => ['zrangebylex', woken, ...rangeOf(this.owner)] as const),
    ])) as string[][];
    const held = lists.slice(shards.length).flat();
    const dueTimes = lists.slice(0, shards.length).flatMap((list) => pairs(list));
    // Who waits longest is first, of whichever shard.
    dueTimes.sort(([, a], [, b]) => a - b);
    const due = dueTimes.filter(([, atMs]) => atMs <= now).map(([channelId]) => channelId);
    this.isCrowded = due.length >= free;
    const nextAtMs = dueTimes.reduce((least, [, atMs]) => (atMs > now ? Math.min(least, atMs) : least), soon);
    return { due: due.slice(0, free), held: held.map((member) => channelIn(member)), nextInMs: nextAtMs - now };
  }

  private begin(channelId: string): void {
    if (this.underWay.has(channelId)) return;
    if (this.underWay.mustWait(channelId)) return this.postpone(channelId);
    this.deliver(channelId, (turn) => this.delivery.deliver(channelId, turn));
  }

  /** `work` says whether there is more. */
  private deliver(channelId: string, work: (turn: Turn) => Promise<boolean>): void {
    const lingerMs = this.underWay.lingerMs();
    let requests = 0;
    const goesOn = (tookMs: number): boolean => {
      this.underWay.answered(channelId, tookMs);
      const isSlow = tookMs > slowAfterMs;
      const isLongTurn = ++requests >= batchesInARow;
      return !this.stopped && (this.isCrowded ? !isSlow && !isLongTurn : !isSlow || !isLongTurn);
    };
    const delivery = work({ signal: this.aborting.signal, lingerMs, goesOn })
      .catch((err: unknown) => {
        this.logger.warn({ err, channelId }, 'delivery interrupted');
        return true;
      })
      .then((isMore) => {
        if (isMore || this.isCrowded || lingerMs > 0) this.clock.after(lingerMs, () => this.kick());
      });
    this.underWay.add(channelId, delivery);
  }

  /** Makes room for others in the list of those that are due. */
  private postpone(channelId: string): void {
    this.link
      .run('postpone', this.keys.of(channelId).forCommand(channelId), [channelId, this.clock.now() + postponeMs])
      .catch((err: unknown) => this.logger.debug({ err }, 'not postponed'));
  }
}
