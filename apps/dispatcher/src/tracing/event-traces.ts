import { headerNames, sliceItem } from '@lanyard/contracts';
import type { Batch } from '@lanyard/kafka';
import { type Logger, LOGGER, type Span, Tracing } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { NotificationMessage } from '../messages/notification-message.js';
import { Keys } from '../queue/keys.js';
import { type RedisCommand, RedisLink } from '../queue/redis-link.js';

/** What is kept of a traced event until its message leaves. */
interface Note {
  traceParent: string;
  queuedAtMs: number;
  /** The beginning of the event's item in a message, up to where options of the channel are added. */
  opening: string;
}

/** The trace of an event that is not delivered within this time ends in the queue. */
const noteSeconds = 300;

/** Notes that are kept for one channel, the newest ones. */
const notesMax = 256;

/**
 * Follows traced events through queues. A queue holds only what customers get, so the trace of an event is noted beside the
 * queue in Redis, where any replica that delivers the event finds the note. Costs nothing when tracing is off, and one round
 * trip for each message that is sent when it is on.
 */
@Injectable()
export class EventTraces {
  constructor(
    private readonly tracing: Tracing,
    private readonly link: RedisLink,
    private readonly keys: Keys,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Runs the append of a batch within the spans of its traced events. */
  async appending(batch: Batch<unknown>, append: () => Promise<void>): Promise<void> {
    const spans = this.tracing.isOn ? await this.begin(batch) : [];
    try {
      await append();
      for (const span of spans) span.end();
    } catch (error) {
      for (const span of spans) span.end(error);
      throw error;
    }
  }

  /** A message with events of the channel has left for its application. */
  sent(kind: 'callback' | 'websocket', channelId: string, message: NotificationMessage): void {
    if (!this.tracing.isOn) return;
    this.recordSent(kind, channelId, message).catch((err: unknown) => {
      this.logger.debug({ err, channelId }, 'traces of a message not ended');
    });
  }

  private async begin(batch: Batch<unknown>): Promise<Span[]> {
    const spans: Span[] = [];
    const notes: RedisCommand[] = [];
    for (const { headers, raw, timestampMs } of batch.messages) {
      const attributes = {
        'messaging.destination.name': batch.topic,
        'messaging.destination.partition.id': batch.partition,
      };
      const options = { kind: 'consumer' as const, startMs: timestampMs, attributes };
      const span = this.tracing.follow(headers.get(headerNames.traceParent), 'dispatcher append', options);
      if (!span) continue;
      spans.push(span);
      const item = sliceItem(batch.topic, raw, headers);
      if (!item || item.audience === '*') continue;
      const opening = item.item.subarray(0, -1).toString();
      const note: Note = { traceParent: span.traceParent, queuedAtMs: Date.now(), opening };
      for (const channelId of item.audience) {
        const key = this.keyOf(channelId);
        notes.push(['rpush', key, JSON.stringify(note)], ['ltrim', key, -notesMax, -1], ['expire', key, noteSeconds]);
      }
    }
    // Before the append: the message may leave right after it.
    if (notes.length > 0)
      await this.link.together(notes).catch((err: unknown) => this.logger.debug({ err }, 'traced events not noted'));
    return spans;
  }

  private async recordSent(kind: string, channelId: string, message: NotificationMessage): Promise<void> {
    const body = message.toBuffer();
    const key = this.keyOf(channelId);
    for (const text of await this.link.redis.lrange(key, 0, -1)) {
      const { traceParent, queuedAtMs, opening } = JSON.parse(text) as Note;
      if (!body.includes(opening)) continue;
      // The replica that removes the note was the first to send the message: a repetition adds no second span.
      if ((await this.link.redis.lrem(key, 1, text)) === 0) continue;
      const attributes = { 'lanyard.channel': channelId, 'lanyard.channel_kind': kind };
      this.tracing
        .follow(traceParent, 'dispatcher deliver', { kind: 'producer', startMs: queuedAtMs, attributes })
        ?.end();
    }
  }

  private keyOf(channelId: string): string {
    return `${this.keys.ofChannel(channelId).base}trace:${channelId}`;
  }
}
