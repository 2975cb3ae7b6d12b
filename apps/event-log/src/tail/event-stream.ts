import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { Clock, Timer } from '@lanyard/service';
import type { Place, StoredEvent, StoredPage } from '../query/stored-events.js';
import { closeLingerMs, heartbeatMs, readPeriodMs, reconnectMs, slowClientMs } from './limits.js';

/** Why a stream ended, for the client, which may reconnect unless it is `key_revoked`. */
export type EndReason = 'key_revoked' | 'restart' | 'unavailable';

export interface StreamParts {
  /** Entries after a position, in the order of storage, and the position to continue from. */
  read(from: Place): Promise<StoredPage>;
  client: Writable;
  clock: Clock;
}

const frame = ({ id, record }: StoredEvent): string => `id: ${id}\ndata: ${record}\n\n`;

/**
 * Server-sent events of one client. The stream reads entries when `notify` wakes it, and holds at most one page: a slow
 * client only slows itself down. From the start the client has an id to reconnect with. Each keep-alive moves that id
 * to the newest entry that was read, even if the filters excluded that entry. If they exclude everything in a part of
 * the log, a message without data moves it.
 */
export class EventStream {
  private ended = false;
  private isNotified = false;
  private wake: (() => void) | undefined;
  /** Nothing was written for `heartbeatMs`. */
  private isKeepAliveDue = false;
  private heartbeat: Timer | undefined;
  private readonly closed = new AbortController();

  constructor(private readonly parts: StreamParts) {
    const { client } = parts;
    const onClose = (): void => {
      this.closed.abort();
      this.stop();
    };
    client.once('close', onClose);
    client.once('error', () => this.stop());
    // The client may have disconnected while its place in the log was read: then `close` was emitted already.
    if (client.destroyed) onClose();
  }

  /** Wakes the stream: there may be new entries. */
  notify(): void {
    this.isNotified = true;
    this.wake?.();
  }

  /** Runs until the client disconnects or `endWithReason` is called. Rejects if entries cannot be read. */
  async run(from: Place): Promise<void> {
    let place = from;
    await this.write(`retry: ${reconnectMs}\nid: ${from.id}\n\n`);
    while (!this.ended) {
      this.isNotified = false;
      const page = await this.parts.read(place);
      place = page.place;
      const allExcluded = page.hasMore && page.events.length === 0;
      await this.write(allExcluded ? `id: ${place.id}\n\n` : page.events.map(frame).join(''));
      if (!page.hasMore && !this.ended) await this.pause(place);
    }
  }

  endWithReason(reason: EndReason): void {
    if (this.ended) return;
    this.stop();
    const { client, clock } = this.parts;
    client.end(`event: end\ndata: ${JSON.stringify({ reason })}\n\n`);
    const timer = clock.after(closeLingerMs, () => client.destroy());
    client.once('close', () => timer.cancel());
  }

  private stop(): void {
    this.ended = true;
    this.heartbeat?.cancel();
    this.wake?.();
  }

  /**
   * Waits for `readPeriodMs`, then until there may be entries, or until a keep-alive is due, which it sends: also while
   * entries come all the time, and the filters exclude all of them.
   */
  private async pause({ id }: Place): Promise<void> {
    await this.sleep(readPeriodMs, () => this.ended);
    await this.sleep(heartbeatMs, () => this.ended || this.isNotified || this.isKeepAliveDue);
    if (this.isKeepAliveDue) await this.write(`id: ${id}\n: alive\n\n`);
  }

  private sleep(forMs: number, isOver: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.parts.clock.after(forMs, () => finish());
      const finish = (): void => {
        timer.cancel();
        this.wake = undefined;
        resolve();
      };
      this.wake = () => isOver() && finish();
      this.wake();
    });
  }

  private startHeartbeat(): void {
    this.isKeepAliveDue = false;
    this.heartbeat?.cancel();
    this.heartbeat = this.parts.clock.after(heartbeatMs, () => {
      this.isKeepAliveDue = true;
      this.wake?.();
    });
  }

  private async write(text: string): Promise<void> {
    if (text === '' || this.ended) return;
    const { client, clock } = this.parts;
    this.startHeartbeat();
    if (client.write(text)) return;
    const timer = clock.after(slowClientMs, () => client.destroy());
    // Closed before everything was written: `close` has ended the stream.
    await once(client, 'drain', { signal: this.closed.signal }).catch(() => undefined);
    timer.cancel();
  }
}
