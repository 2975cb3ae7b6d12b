import { type LanyardError, NoAnswer, TailEnded } from './errors.js';
import type { DeviceEvent, Operations } from './generated/api.js';
import type { Http } from './http.js';
import { isTemporary, retryDelayMs } from './retry.js';
import { afterSilence } from './silence.js';
import { sleep } from './sleep.js';
import { type ServerSentEvent, serverSentEvents } from './sse.js';

type Messages = AsyncGenerator<ServerSentEvent>;

type ListQuery = NonNullable<Operations['GET /v3/device-events']['input']['query']>;

export interface TailOptions {
  /** Which entries: the filters of `GET /v3/device-events`. */
  filters?: Omit<ListQuery, 'after' | 'include' | 'limit' | 'order'>;
  /** Id of the last entry that the application has; `0`: from the beginning of the log. Default: from now on. */
  after?: string;
  /** Ends the stream. */
  signal?: AbortSignal;
  /** Called when the stream is connected: at first, and after each interruption. */
  onOpen?: () => void;
  /** Called with the reason when the stream is interrupted; it resumes by itself. */
  onLost?: (error: LanyardError) => void;
}

/** The service sends a comment every 15 s. */
const usualSilenceMaxMs = 45_000;

const operation = 'GET /v3/device-events/stream';

const keyRevoked = 'key_revoked';

/** Chunks of a body; a connection that stays silent for too long while a reader waits is closed. */
async function* chunksOf(body: ReadableStream<Uint8Array>, silenceMaxMs: number): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const timer = afterSilence(silenceMaxMs, () => void reader.cancel().catch(() => undefined));
      const { done, value } = await reader.read().finally(() => clearInterval(timer));
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/**
 * Follows the device event log. Each entry is delivered once, in the order of storage: after a lost
 * connection, the next one continues after the last entry that was read.
 */
export class Tail {
  private lastId: string | undefined;
  private retryMs = 0;
  private failures = 0;

  constructor(
    private readonly http: Http,
    private readonly options: TailOptions,
    private readonly silenceMaxMs = usualSilenceMaxMs,
  ) {
    this.lastId = options.after;
  }

  /** Resolves when the service has said where the stream begins. Throws RequestFailed, NoAnswer. */
  async open(): Promise<AsyncGenerator<DeviceEvent, void>> {
    return this.entries(await this.connect());
  }

  private async *entries(first: Messages): AsyncGenerator<DeviceEvent, void> {
    const { signal } = this.options;
    for (let messages: Messages | undefined = first; !signal?.aborted; messages = undefined)
      try {
        yield* this.entriesOf(messages ?? (await this.connect({ retries: 0 })));
        throw new NoAnswer(`${operation}: the stream broke off`);
      } catch (error) {
        if (signal?.aborted) return;
        if (!isTemporary(error)) throw error;
        this.options.onLost?.(error);
        await sleep(this.retryMs + retryDelayMs(error, this.failures++), signal).catch(() => undefined);
      }
  }

  private async *entriesOf(messages: Messages): AsyncGenerator<DeviceEvent, void> {
    for await (const { id, event, data } of messages) {
      this.failures = 0;
      this.lastId = id ?? this.lastId;
      if (data === undefined) continue;
      if (event === 'end') return this.ended((JSON.parse(data) as { reason: string }).reason);
      yield JSON.parse(data) as DeviceEvent;
    }
  }

  /** A broken connection counts as an interruption of the stream (NoAnswer). */
  private async *whole(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* chunksOf(body, this.silenceMaxMs);
    } catch (cause) {
      throw new NoAnswer(`${operation}: the stream broke off`, { cause });
    }
  }

  private ended(reason: string): void {
    if (reason === keyRevoked) throw new TailEnded('the key is not valid any more, or may not read the log');
    throw new NoAnswer(`${operation}: the service ended the stream: ${reason}`);
  }

  /** The messages after the first one, which has the id to resume from. */
  private async connect(options: { retries?: number } = {}): Promise<Messages> {
    const { filters, signal } = this.options;
    const header = { accept: 'text/event-stream', 'last-event-id': this.lastId };
    const begin = async (body: ReadableStream<Uint8Array>): Promise<Messages> => {
      const messages = serverSentEvents(this.whole(body));
      const { value, done } = await messages.next();
      if (done) throw new NoAnswer(`${operation}: the stream broke off`);
      this.lastId ??= value.id;
      this.retryMs = value.retryMs ?? this.retryMs;
      return messages;
    };
    const messages = await this.http.stream(
      operation,
      { query: { ...filters }, header },
      { ...options, ...(signal && { signal }) },
      begin,
    );
    await this.opened(messages);
    return messages;
  }

  /** An error that the application throws is not a failure of the request, so it causes no retry. */
  private async opened(messages: Messages): Promise<void> {
    try {
      this.options.onOpen?.();
    } catch (error) {
      await messages.return(undefined);
      throw error;
    }
  }
}
