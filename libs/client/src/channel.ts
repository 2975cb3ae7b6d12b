import { once } from 'node:events';
import { Connection, type ConnectionEnd, type ConnectionLimits } from './connection.js';
import { ChannelEnded, ConnectionLost, type LanyardError } from './errors.js';
import { EventQueue } from './event-queue.js';
import type { LanyardEvent } from './events.js';
import type { Operations } from './generated/api.js';
import type { Http } from './http.js';
import { backOffMs, isTemporary } from './retry.js';
import { sleep } from './sleep.js';

/** `waiting`: not connected, until the application has consumed half of the events that the channel may hold. */
export type ChannelState = 'connecting' | 'open' | 'waiting' | 'closed';

export interface ChannelOptions {
  /** How events look: uids, timestamps, endpoint names (`serialization` of the registration). */
  serialization?: NonNullable<
    NonNullable<Operations['PUT /v2/notification/websocket']['input']['body']>['serialization']
  >;
  onState?: (state: ChannelState) => void;
  /**
   * Called with the reason when the channel is not connected: ConnectionLost, or the error (RequestFailed or NoAnswer)
   * of an attempt to register it again. The channel keeps trying.
   */
  onLost?: (error: LanyardError) => void;
  /** The longest delay between two attempts to connect; default 30 s. */
  reconnectMaxMs?: number;
  /** Closes the channel. If it was never open, `listen` rejects with the reason of the signal. */
  signal?: AbortSignal;
}

export interface ChannelLimits extends ConnectionLimits {
  /** The most events that are held for the application; the service keeps the others. */
  heldMax: number;
  /** A connection that lasted this long does not count as a failure. */
  steadyMs: number;
}

/** The service sends a ping every 30 s, and expects an answer within 10 s. */
const usualLimits: ChannelLimits = { heldMax: 1_000, silenceMaxMs: 75_000, pausedMaxMs: 5_000, steadyMs: 10_000 };

const keyNotValid = 1008;

const isRefused = ({ code, status }: ConnectionEnd): boolean =>
  code === keyNotValid || status === 401 || status === 403;

/**
 * The WebSocket channel of a key. Reconnects when the connection is lost: the service keeps the events of
 * that time, up to 24 hours, and sends unconfirmed events again. A single `for await` loop reads the events; an
 * error there (ChannelEnded) means that the channel cannot continue.
 */
export class Channel implements AsyncIterable<LanyardEvent> {
  private readonly queue: EventQueue<LanyardEvent>;
  private readonly stopped = new AbortController();
  private connection: Connection | undefined;
  private currentState: ChannelState = 'connecting';
  private failure: ChannelEnded | undefined;

  private constructor(
    private readonly http: Http,
    private readonly options: ChannelOptions,
    private readonly limits: ChannelLimits,
  ) {
    this.queue = new EventQueue(limits.heldMax);
  }

  /** Registers the channel and resolves when the first connection is open. Throws RequestFailed, ChannelEnded. */
  static async open(http: Http, options: ChannelOptions, limits: Partial<ChannelLimits> = {}): Promise<Channel> {
    const { signal } = options;
    signal?.throwIfAborted();
    const channel = new Channel(http, options, { ...usualLimits, ...limits });
    channel.closeWith(signal);
    try {
      await channel.register();
      await channel.opened();
    } catch (error) {
      channel.stopped.abort();
      throw signal?.aborted ? signal.reason : error;
    }
    return channel;
  }

  get state(): ChannelState {
    return this.currentState;
  }

  /** Ends the connection; the service continues to queue events for the channel. */
  close(): void {
    this.stopped.abort();
    this.connection?.close();
    this.queue.close();
    this.enter('closed');
  }

  /** Leaving a loop before its end closes the channel, because no consumer would be left. */
  [Symbol.asyncIterator](): AsyncIterator<LanyardEvent> {
    return {
      next: () => this.queue.next(),
      return: () => {
        this.close();
        return Promise.resolve({ value: undefined, done: true });
      },
    };
  }

  private closeWith(signal: AbortSignal | undefined): void {
    const close = (): void => this.close();
    signal?.addEventListener('abort', close, { once: true });
    this.stopped.signal.addEventListener('abort', () => signal?.removeEventListener('abort', close), { once: true });
  }

  /** Keeps the channel connected from now on, and resolves when it is connected for the first time. */
  private opened(): Promise<void> {
    return new Promise((resolve, reject) => {
      const ended = (): void => reject(this.failure ?? new ChannelEnded('closed before it was open'));
      const failed = (cause: unknown): void => this.fail(new ChannelEnded('the channel cannot continue', { cause }));
      this.keepOpen(resolve).catch(failed).then(ended, ended);
    });
  }

  private async register(): Promise<void> {
    const { serialization } = this.options;
    const body = serialization ? { serialization } : {};
    await this.http.send('PUT /v2/notification/websocket', { body }, { signal: this.stopped.signal });
  }

  private async keepOpen(onOpen: () => void): Promise<void> {
    const { signal } = this.stopped;
    for (let failures = 0; !signal.aborted; failures++) {
      const end = await this.connect(onOpen);
      if (signal.aborted) return;
      if (isRefused(end)) return this.fail(new ChannelEnded('the key is not valid any more'));
      this.options.onLost?.(new ConnectionLost(end));
      await this.waitForRoom();
      if (signal.aborted) return;
      this.enter('connecting');
      // Not reset at each opening: two clients of a key would take the channel from each other without a pause.
      if (end.openMs >= this.limits.steadyMs) failures = 0;
      await sleep(backOffMs(failures, this.options.reconnectMaxMs), signal).catch(() => undefined);
      // 1001 and 1011 may mean that the channel no longer exists; if it does, registering it again changes nothing.
      if (end.code === 1001 || end.code === 1011) await this.registerAgain();
    }
  }

  private connect(onOpen: () => void): Promise<ConnectionEnd> {
    // Channels belong to keys, so only a client with a key opens one.
    const { baseUrl, key = '' } = this.http.options;
    const url = `${baseUrl.replace(/^http/, 'ws')}/v2/notification/websocket-connect`;
    const opened = (): void => {
      this.enter('open');
      onOpen();
    };
    this.connection = new Connection({ url, key, onOpen: opened }, this.queue, this.limits);
    return this.connection.ended;
  }

  /** Waits until half of the queue is free, so that a slow consumer does not reconnect for every event. */
  private async waitForRoom(): Promise<void> {
    const { signal } = this.stopped;
    if (!this.queue.isHalfEmpty) this.enter('waiting');
    while (!this.queue.isHalfEmpty && !signal.aborted)
      await once(this.queue, 'taken', { signal }).catch(() => undefined);
  }

  private async registerAgain(): Promise<void> {
    try {
      await this.register();
    } catch (error) {
      if (this.stopped.signal.aborted) return;
      if (!isTemporary(error)) throw error;
      // The next connection learns that there is no channel, and retries the registration.
      this.options.onLost?.(error);
    }
  }

  private fail(error: ChannelEnded): void {
    this.failure = error;
    this.stopped.abort();
    this.queue.close(error);
    this.enter('closed');
  }

  private enter(state: ChannelState): void {
    if (this.currentState === state) return;
    this.currentState = state;
    this.options.onState?.(state);
  }
}
