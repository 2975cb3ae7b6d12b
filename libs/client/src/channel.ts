import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { ChannelEnded, InvalidKey } from './errors.js';
import { EventQueue } from './event-queue.js';
import { eventsOf, type LanyardEvent } from './events.js';
import type { NotificationMessage, Operations } from './generated/api.js';
import type { Http } from './http.js';
import { backOffMs } from './retry.js';

export type ChannelState = 'connecting' | 'open' | 'closed';

export interface ChannelOptions {
  /** How events look: uids, timestamps, endpoint names (`serialization` of the registration). */
  serialization?: NonNullable<
    NonNullable<Operations['PUT /v2/notification/websocket']['input']['body']>['serialization']
  >;
  onState?: (state: ChannelState) => void;
  /** The longest wait between two tries to connect; 30 s when left out. */
  reconnectMaxMs?: number;
}

/** Of events that nobody took: the service keeps the others. */
const heldMax = 1_000;
/** The service pings every 30 s: without a sign of it for so long, the connection is dead. */
const silenceMaxMs = 75_000;
const handshakeTimeoutMs = 20_000;

const keyNotValid = 1008;
const closedByClient = 1000;

/**
 * The WebSocket channel of a key. Connects again by itself when the connection is lost: the service keeps what came
 * meanwhile, up to 24 hours, and what was under way comes again. `for await` takes the events, from one place; an
 * error there (ChannelEnded) means that the key is no longer valid.
 */
export class Channel implements AsyncIterable<LanyardEvent> {
  private readonly queue = new EventQueue<LanyardEvent>(heldMax, (full) => this.pause(full));
  private readonly stopped = new AbortController();
  private socket: WebSocket | undefined;
  private currentState: ChannelState = 'connecting';
  private failure: ChannelEnded | undefined;

  private constructor(
    private readonly http: Http,
    private readonly options: ChannelOptions,
  ) {}

  /** Registers the channel and resolves when the first connection is open. Throws RequestFailed, ChannelEnded. */
  static async open(http: Http, options: ChannelOptions): Promise<Channel> {
    const channel = new Channel(http, options);
    await channel.register();
    await new Promise<void>((resolve, reject) => {
      const ended = (): void => reject(channel.failure ?? new ChannelEnded('closed before it was open'));
      channel.keepOpen(resolve).then(ended, reject);
    });
    return channel;
  }

  get state(): ChannelState {
    return this.currentState;
  }

  /** Ends the connection; the service goes on keeping events for the channel. */
  close(): void {
    this.stopped.abort();
    this.socket?.close(closedByClient);
    this.queue.close();
    this.enter('closed');
  }

  [Symbol.asyncIterator](): AsyncIterator<LanyardEvent> {
    return { next: () => this.queue.next() };
  }

  private async register(): Promise<void> {
    const { serialization } = this.options;
    await this.http.send('PUT /v2/notification/websocket', { body: serialization ? { serialization } : {} });
  }

  private async keepOpen(onOpen: () => void): Promise<void> {
    for (let failures = 0; !this.stopped.signal.aborted; failures++) {
      const code = await this.connection(() => {
        failures = 0;
        onOpen();
      });
      if (this.stopped.signal.aborted) return;
      this.enter('connecting');
      if (code === keyNotValid) return this.fail(new ChannelEnded('the key is not valid any more'));
      await sleep(backOffMs(failures, this.options.reconnectMaxMs), undefined, { signal: this.stopped.signal }).catch(
        () => undefined,
      );
      // 1001 and 1011 may mean that there is no channel any more; for one that is there nothing changes.
      if (code === 1001 || code === 1011) await this.registerAgain();
    }
  }

  private async registerAgain(): Promise<void> {
    try {
      await this.register();
    } catch (error) {
      if (error instanceof InvalidKey) this.fail(new ChannelEnded('the key is not valid any more', { cause: error }));
      // Otherwise the next connection is told that there is no channel, and this is tried again.
    }
  }

  /** Resolves with the close code. */
  private connection(onOpen: () => void): Promise<number> {
    const { baseUrl, key } = this.http.options;
    const url = `${baseUrl.replace(/^http/, 'ws')}/v2/notification/websocket-connect`;
    const socket = new WebSocket(url, ['wss', `service_${key}`], { handshakeTimeout: handshakeTimeoutMs });
    this.socket = socket;
    let silence: NodeJS.Timeout | undefined;
    const heard = (): void => {
      clearTimeout(silence);
      silence = setTimeout(() => socket.terminate(), silenceMaxMs);
    };
    return new Promise((resolve) => {
      socket.on('open', () => {
        heard();
        this.enter('open');
        onOpen();
      });
      socket.on('ping', heard);
      socket.on('message', (data) => {
        heard();
        for (const event of eventsOf(JSON.parse(String(data)) as NotificationMessage)) this.queue.put(event);
      });
      socket.on('error', () => undefined);
      socket.on('close', (code) => {
        clearTimeout(silence);
        resolve(code);
      });
    });
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

  private pause(full: boolean): void {
    if (full) this.socket?.pause();
    else this.socket?.resume();
  }
}
