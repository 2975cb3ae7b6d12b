import type { Duplex } from 'node:stream';
import type { Clock } from '@lanyard/service';
import type { WebSocket } from 'ws';
import {
  pingPeriodMs,
  pingTimeoutMs,
  socketBytesPerSecondMin,
  socketIdleMaxMs,
  socketReadAhead,
  socketStallMaxMs,
  socketWindowBatches,
  socketWindowBytes,
  socketWindowEvents,
} from '../limits.js';
import {
  type EventBatch,
  type Cursor,
  cursorAfter,
  cursorConfirmed,
  type Extent,
  extentOf,
  joinExtents,
  runLength,
} from '../queue/event-batch.js';
import type { ChannelQueue, PushPermit, Hold } from '../queue/channel-queue.js';
import type { BodyBuffers } from '../delivery/body-buffers.js';
import { type CloseCause, closeCodes } from '../replicas/close-codes.js';
import type { Holder, Holders } from '../replicas/holders.js';

/** A ping on its way. When its pong comes back, all that was sent before the ping has arrived. */
interface Ping {
  sequence: number;
  sentAtMs: number;
  /** When its bytes left this process. */
  leftAtMs?: number;
  /** How long its answer may take from then on. */
  timeoutMs: number;
  /** Bytes of the messages that the session sent before it. */
  bytesBefore: number;
  /** Batches sent between the previous ping and this one. */
  batches: Extent[];
}

export interface SocketLine {
  socket: WebSocket;
  /** The connection under the socket: it is corked so that a message and the ping behind it leave together. */
  connection: Pick<Duplex, 'cork' | 'uncork'>;
}

/** A message that was read and waits until the socket has room. */
interface ReadyBatch {
  batch: EventBatch;
  /** Until this is called, the message counts against the budget of messages in memory. */
  endInFlight: () => void;
}

/** The channel and the account of a socket, its client's address, and the fingerprint of the secret that opened it. */
export interface SocketOwner {
  channelId: string;
  accountId: string;
  conn: string;
  address: string;
  secret?: string;
}

export interface SessionParts {
  queue: Pick<ChannelQueue, 'attach' | 'confirm' | 'readBatch' | 'readPushed'>;
  bodies: BodyBuffers;
  clock: Clock;
  holders: Pick<Holders, 'areSuspended'>;
}

export interface SessionListener {
  /** A frame is on its way. */
  sent(batch: EventBatch): void;
  delivered(events: number): void;
  /** The session had lost its channel, as others may have announced, and has it again. */
  attachedAgain(): void;
  /**
   * The session gives the channel up. Either the service closes the socket: what has arrived is confirmed, and the channel is
   * free before the client answers the close. Or the socket had ended when the session attached to the channel again.
   */
  left(hold: Hold): void;
  /** The socket is closed, by either side. Called once. */
  ended(hold: Hold | undefined, cause: CloseCause | undefined): void;
  failed(error: unknown): void;
}

/**
 * A ping stands for all that was sent before it. While its pong is awaited, the next ping goes out after this many batches,
 * events or bytes, or as soon as the pong arrives. So pongs make room before the window is full.
 */
const batchesPerPing = socketWindowBatches / 4;
const eventsPerPing = socketWindowEvents / 4;
const bytesPerPing = socketWindowBytes / 4;

const eventsOf = (extents: readonly Extent[]): number => extents.reduce((sum, { from, to }) => sum + to - from, 0);

/** How long a client may take to answer the close of its socket. */
export const closeTimeoutMs = 5_000;

/**
 * One WebSocket and its channel: reads batches, sends them, and removes each from the queue only when the pong to the
 * ping behind it proves that the client's side has it (spec §6.1 rule 1: transport-level success). Up to a window of
 * batches is under way. `pump` makes all steps on the queue one after another.
 */
export class WebSocketSession implements Holder {
  readonly channelId = this.owner.channelId;
  readonly conn = this.owner.conn;
  readonly secret = this.owner.secret;
  private hold: Hold | undefined;
  private cursor: Cursor = { next: 0, head: 0, index: 0, skip: 0 };
  /** Batches from the cursor on, read together with the batch that was sent last. */
  private ready: ReadyBatch[] = [];
  private readAtMs = 0;
  private readonly pings: Ping[] = [];
  /** Batches that were sent without a ping behind them yet. */
  private unproven: Extent[] = [];
  private confirmed: Extent[] = [];
  private sequence = 0;
  /** Bytes of the messages that were sent, and of those that are proven to have arrived. */
  private bytesSent = 0;
  private bytesArrived = 0;
  private pumping = false;
  private pumpAgain = false;
  /** Redis may have more than what was pushed. */
  private mustAsk = true;
  private permit: PushPermit | undefined;
  private cause: CloseCause | undefined;
  private hasEnded = false;
  /** Redis has refused something, or was lost. */
  private hasFailed = false;
  /** Redis was lost since this socket got its channel, and may say that an older one has it. */
  private isInDoubt = false;
  private lastSentAtMs: number;
  private lastPingAtMs: number;

  constructor(
    private readonly line: SocketLine,
    private readonly owner: SocketOwner,
    private readonly parts: SessionParts,
    private readonly listener: SessionListener,
  ) {
    const { socket } = line;
    this.lastSentAtMs = this.lastPingAtMs = parts.clock.now();
    socket.on('pong', (data) => this.onPong(data));
    socket.once('close', () => this.end());
  }

  /** Starts delivery with what `attach` gave. */
  start(hold: Hold, cursor: Cursor): void {
    this.hold = hold;
    this.cursor = cursor;
    this.wake();
  }

  wake(permit?: PushPermit): void {
    if (permit) this.permit = permit;
    else this.mustAsk = true;
    this.schedulePump();
  }

  private schedulePump(): void {
    if (this.pumping) {
      this.pumpAgain = true;
      return;
    }
    this.pumping = true;
    void this.pump();
  }

  close(cause: CloseCause): void {
    if (this.cause) return;
    this.cause = cause;
    this.line.socket.close(closeCodes[cause], cause);
    const timeout = this.parts.clock.after(closeTimeoutMs, () => this.line.socket.terminate());
    this.line.socket.once('close', () => timeout.cancel());
    this.schedulePump();
  }

  restart(): void {
    this.isInDoubt = true;
    this.permit = undefined;
    this.wake();
  }

  /** Checks what depends on time. Called every second. */
  tick(nowMs: number): void {
    if (!this.isOpen) return;
    this.dropOldReady();
    const [oldest] = this.pings;
    const isLate = oldest?.leftAtMs !== undefined && nowMs - oldest.leftAtMs > oldest.timeoutMs;
    const isStalled = oldest !== undefined && nowMs - oldest.sentAtMs > socketStallMaxMs;
    if (isLate || isStalled) return this.close('ping not answered');
    if (nowMs - this.lastSentAtMs > socketIdleMaxMs) return this.close('inactivity');
    if (this.hasFailed) this.wake();
    if (nowMs - this.lastPingAtMs < pingPeriodMs) return;
    if (this.pings.length === 0) this.ping();
    // A session that lost its channel unnoticed learns of the loss here.
    this.wake();
  }

  private get isOpen(): boolean {
    return this.cause === undefined && this.line.socket.readyState === this.line.socket.OPEN;
  }

  private async pump(): Promise<void> {
    this.hasFailed = false;
    try {
      do {
        this.pumpAgain = false;
        await this.confirmArrived();
        while (this.isOpen && this.hasRoom && (await this.sendNext()));
      } while (this.pumpAgain);
    } catch (error) {
      // When Redis is back after a loss, `restart` is called. If it only refused a command, the next tick asks it again.
      this.hasFailed = true;
      this.mustAsk = true;
      this.listener.failed(error);
    } finally {
      this.pumping = false;
      // Messages that the session sent before it attached again are not in `unproven`, but they occupy the window.
      if (this.isOpen && this.bytesSent > this.bytesArrived && this.pings.length === 0) this.ping();
    }
    if (this.pumpAgain && this.isOpen) this.schedulePump();
    else this.release();
  }

  /**
   * Releases the channel of a socket that is closing, and of one that ended while the session attached again, because
   * `end` did not know of that hold. Not at a restart: the client's last pongs are worth waiting for, because without
   * them all that is under way is sent twice.
   */
  private release(): void {
    const isLeaving = this.cause !== undefined && this.cause !== 'restart';
    if (!this.hold || !(isLeaving || this.hasEnded)) return;
    this.listener.left(this.hold);
    this.hold = undefined;
  }

  private end(): void {
    const { hold } = this;
    this.hasEnded = true;
    this.hold = undefined;
    this.dropReady();
    this.listener.ended(hold, this.cause);
  }

  private get hasRoom(): boolean {
    const sent = [...this.unproven, ...this.confirmed, ...this.pings.flatMap(({ batches }) => batches)];
    if (sent.length >= socketWindowBatches || eventsOf(sent) >= socketWindowEvents) return false;
    if (this.bytesSent - this.bytesArrived >= socketWindowBytes) return false;
    return this.line.socket.bufferedAmount < this.parts.bodies.budget.socketBytesMax;
  }

  /** False when there is nothing to send now. */
  private async sendNext(): Promise<boolean> {
    if (!this.hold) return false;
    const ready = this.takeReady();
    if (ready) {
      this.send(ready);
      return true;
    }
    const { permit } = this;
    const batch = permit && this.parts.queue.readPushed(this.hold, this.cursor.next, permit);
    if (batch) {
      this.send(batch);
      return true;
    }
    if (!this.mustAsk && !(permit && permit.to > this.cursor.next)) return false;
    this.mustAsk = false;
    this.permit = undefined;
    this.readAtMs = this.parts.clock.now();
    const read = await this.parts.queue.readBatch(this.hold, this.cursor, this.parts.bodies.budget.readAheadBytesMax);
    if (read.outcome === 'fenced') return this.attachAgain();
    if (read.outcome === 'empty' || !this.isOpen) return false;
    this.mustAsk = true;
    this.cursor = read.cursor;
    this.keepReady(read.behind);
    this.send(read.batch);
    return true;
  }

  private keepReady(behind: readonly EventBatch[]): void {
    const { budget } = this.parts.bodies;
    this.ready = behind.map((batch) => ({ batch, endInFlight: budget.begin(batch.message.bytes) }));
  }

  /** undefined when none is ready, or when the channel may have another holder by now. */
  private takeReady(): EventBatch | undefined {
    this.dropOldReady();
    const next = this.ready.shift();
    next?.endInFlight();
    return next?.batch;
  }

  private dropOldReady(): void {
    if (this.parts.clock.now() - this.readAtMs > socketReadAhead.ageMaxMs) this.dropReady();
  }

  private dropReady(): void {
    for (const { endInFlight } of this.ready.splice(0)) endInFlight();
  }

  private send(batch: EventBatch): void {
    this.cursor = cursorAfter(this.cursor, batch);
    this.lastSentAtMs = this.parts.clock.now();
    this.bytesSent += batch.message.bytes;
    const { bytes, done } = this.parts.bodies.bodyOf(batch.message);
    this.line.connection.cork();
    this.line.socket.send(bytes, { binary: false }, (error) => {
      done(!error);
      this.schedulePump();
    });
    this.unproven.push(extentOf(batch));
    if (this.isPingDue || (this.pings.length === 0 && this.ready.length === 0)) this.ping();
    this.line.connection.uncork();
    this.listener.sent(batch);
  }

  /** Whether much was sent since the last ping. */
  private get isPingDue(): boolean {
    if (this.unproven.length >= batchesPerPing || eventsOf(this.unproven) >= eventsPerPing) return true;
    return this.bytesSent - (this.pings.at(-1)?.bytesBefore ?? this.bytesArrived) >= bytesPerPing;
  }

  private ping(): void {
    const sentAtMs = this.parts.clock.now();
    const batches = this.unproven.splice(0);
    const bytesBefore = this.bytesSent;
    const transferMs = ((bytesBefore - this.bytesArrived) / socketBytesPerSecondMin) * 1_000;
    const sequence = (this.sequence = (this.sequence + 1) >>> 0);
    const ping: Ping = { sequence, sentAtMs, timeoutMs: pingTimeoutMs + transferMs, bytesBefore, batches };
    const data = Buffer.alloc(4);
    data.writeUInt32BE(ping.sequence);
    this.pings.push(ping);
    this.lastPingAtMs = sentAtMs;
    this.line.socket.ping(data, false, () => (ping.leftAtMs = this.parts.clock.now()));
  }

  private onPong(data: Buffer): void {
    const answered = data.length === 4 ? this.pings.findIndex((p) => p.sequence === data.readUInt32BE()) : -1;
    if (answered < 0) return;
    for (const { batches, bytesBefore } of this.pings.splice(0, answered + 1)) {
      this.confirmed.push(...batches);
      this.bytesArrived = bytesBefore;
    }
    if (this.unproven.length > 0 && this.pings.length === 0) this.ping();
    this.schedulePump();
  }

  private async confirmArrived(): Promise<void> {
    // Pongs may add more meanwhile.
    const arrived = this.confirmed.slice();
    while (arrived.length > 0 && this.hold) {
      const batches = arrived.splice(0, runLength(arrived));
      const extent = joinExtents(batches);
      const isHeld = await this.parts.queue.confirm(this.hold, extent);
      this.confirmed.splice(0, batches.length);
      if (!isHeld) {
        await this.attachAgain();
        return;
      }
      this.cursor = cursorConfirmed(this.cursor, extent);
      this.listener.delivered(extent.to - extent.from);
    }
  }

  /** This replica lost the channel, or Redis forgot that it holds it. What is not confirmed is sent again, if possible. */
  private async attachAgain(): Promise<boolean> {
    // `restart` is called when the suspension is over.
    if (this.parts.holders.areSuspended || !this.isOpen) return false;
    const { channelId, accountId, conn, address } = this.owner;
    const how = { conn, mode: 'free', kind: 'websocket', address } as const;
    const attached = await this.parts.queue.attach(channelId, accountId, how);
    if (attached.outcome !== 'ok') {
      const taken = this.isInDoubt ? 'restart' : 'newer socket';
      this.close(attached.outcome === 'busy' ? taken : 'channel deleted');
      return false;
    }
    for (const ping of this.pings) ping.batches = [];
    this.unproven = [];
    this.confirmed = [];
    this.dropReady();
    this.permit = undefined;
    this.mustAsk = true;
    this.isInDoubt = false;
    this.hold = attached.hold;
    this.cursor = attached.cursor;
    if (!this.isOpen) return false;
    this.listener.attachedAgain();
    return true;
  }
}
