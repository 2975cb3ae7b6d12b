import { type Clock, type Identity, newId } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { Channels } from '../channels/channels.js';
import { pollWaitMs } from '../limits.js';
import { ChannelDeleted, ChannelOfAnotherKind, PollAlreadyOpen } from '../errors.js';
import type { ChannelKind } from '../channel-kind.js';
import { BodyBudget } from '../queue/body-budget.js';
import { type Attached, ChannelQueue, type Hold, type Ordered } from '../queue/channel-queue.js';
import { LastMessages } from '../delivery/last-messages.js';
import { Telemetry } from '../delivery/telemetry.js';
import { LocalClock } from '../queue/local-clock.js';
import type { CloseCause } from '../replicas/close-codes.js';
import { type Holder, Holders } from '../replicas/holders.js';

export type Poller = Pick<Identity, 'keyId' | 'accountId' | 'tier' | 'requestId'>;

export interface PollRequest {
  noWait: boolean;
  /** `next` of the last answer that arrived. Events that were delivered after it are delivered again. */
  after: string | undefined;
  /** The client's address. */
  address: string;
}

/** What a poll found. Exactly one of `written` and `notWritten` is called. */
export interface Found {
  body: Buffer;
  /** For the `after` of the next poll. */
  next: string;
  /** The answer left this process: the next poll confirms it. */
  written(): Promise<void>;
  /** The client went away: the events stay. */
  notWritten(): Promise<void>;
  /** The connection broke after the answer was written to it: the events are delivered again. */
  broken(): Promise<void>;
}

/** A poll that arrives while the previous one is being closed does not count as a second one. */
const closingMaxMs = 300;
const closingStepMs = 15;

/** A poll that has created its channel finds it at the next attempt, unless another call has deleted it meanwhile. */
const creationsMax = 5;

type Held = Extract<Attached, { outcome: 'ok' }>;

/** The events of an answer, and the mark of the queue that they are from. */
type MarkedBatch = Required<Ordered>;

/** Where an answer ended. A `next` that this service did not issue gives a place where no answer ended. */
const placeOf = (next: string): string => Buffer.from(next, 'base64url').toString() || '-';

class Poll implements Holder {
  readonly conn = newId();
  closedBy: CloseCause | undefined;
  private signal: (() => void) | undefined;

  /** `gone` aborts when the client disconnects. */
  constructor(
    readonly channelId: string,
    private readonly gone: AbortSignal,
  ) {}

  /** The client is gone, or the service has closed it. */
  get hasEnded(): boolean {
    return this.gone.aborted || this.closedBy !== undefined;
  }

  wake(): void {
    this.signal?.();
  }

  close(cause: CloseCause): void {
    this.closedBy = cause;
    this.wake();
  }

  restart(): void {
    this.close('restart');
  }

  /** Resolves when the poll is woken, after `forMs`, or when the client is gone. */
  wait(clock: Clock, forMs: number): Promise<void> {
    const waking = new AbortController();
    this.signal = () => waking.abort();
    return clock.sleep(forMs, AbortSignal.any([waking.signal, this.gone]));
  }
}

/** Long polling: the oldest events of a channel in the answer to a GET. */
@Injectable()
export class Pull {
  constructor(
    private readonly queue: ChannelQueue,
    private readonly holders: Holders,
    @Inject(LocalClock) private readonly clock: Clock,
    private readonly telemetry: Telemetry,
    private readonly last: LastMessages,
    private readonly channels: Channels,
    private readonly budget: BodyBudget,
  ) {}

  /** undefined: no events came. `gone` aborts when the client disconnects. */
  async poll(poller: Poller, request: PollRequest, gone: AbortSignal): Promise<Found | undefined> {
    const poll = new Poll(poller.keyId, gone);
    this.holders.add(poll);
    try {
      const held = await this.attach(poller, poll.conn, request);
      const { hold } = held;
      const found = await this.firstBatch(poll, held, request.noWait)
        .then((marked) => marked && this.found(hold, marked))
        .catch((error: unknown) => {
          void this.queue.release(hold);
          throw error;
        });
      if (found) return found;
      await this.queue.release(hold);
    } finally {
      this.holders.remove(poll);
    }
    if (poll.closedBy === 'channel deleted') throw new ChannelDeleted();
    return undefined;
  }

  private async attach(poller: Poller, conn: string, { after, address }: PollRequest): Promise<Held> {
    const deadline = performance.now() + closingMaxMs;
    const known = after !== undefined && { after: placeOf(after) };
    const how = { conn, mode: 'free', kind: 'pull', address, ...known } as const;
    let isKnown = false;
    let creations = 0;
    for (;;) {
      const { keyId, accountId } = poller;
      const attached = await this.queue.attach(keyId, accountId, how);
      if (attached.outcome === 'ok') return attached;
      if (attached.outcome === 'kind') throw new ChannelOfAnotherKind(attached.kind as ChannelKind);
      isKnown ||= attached.outcome === 'busy';
      if (attached.outcome === 'missing') {
        if (++creations > creationsMax) throw new ChannelDeleted();
        // A first poll creates the channel; a poll that has seen it does not create it again after its deletion.
        await this.channels.ensurePull(poller, isKnown);
      } else if (performance.now() > deadline) throw new PollAlreadyOpen();
      else await this.clock.sleep(closingStepMs);
    }
  }

  private async firstBatch(poll: Poll, held: Held, noWait: boolean): Promise<MarkedBatch | undefined> {
    const { hold, cursor } = held;
    const deadline = this.clock.now() + pollWaitMs;
    while (!poll.hasEnded) {
      // Listens for wake-ups before it reads, so that no event arrives in between unnoticed.
      const woken = poll.wait(this.clock, Math.max(0, deadline - this.clock.now()));
      const read = await this.queue.readOrdered(hold, cursor);
      const isOver = read.outcome !== 'empty' || noWait || this.clock.now() >= deadline;
      if (isOver) poll.wake();
      if (read.outcome === 'ok') return { batch: read.batch, incarnation: read.incarnation ?? held.incarnation };
      if (isOver) return undefined;
      await woken;
    }
    return undefined;
  }

  private found(hold: Hold, { batch, incarnation }: MarkedBatch): Found {
    const body = batch.message.toBuffer();
    const endInFlight = this.budget.begin(body.length);
    return {
      body,
      next: Buffer.from(`${incarnation}/${batch.to}`).toString('base64url'),
      written: async () => {
        endInFlight();
        this.last.add(hold.channelId, batch, 'sent');
        if (await this.queue.release(hold, batch.to)) this.telemetry.delivered('pull', batch.count);
      },
      notWritten: async () => {
        endInFlight();
        return void (await this.queue.release(hold));
      },
      broken: this.withdrawal(hold.channelId, batch.to, incarnation),
    };
  }

  /** Kept as long as the connection. A closure created in `found` would keep the batch in memory. */
  private withdrawal(channelId: string, to: number, incarnation: string): () => Promise<void> {
    return () => this.queue.requeuePending(channelId, to, incarnation);
  }
}
