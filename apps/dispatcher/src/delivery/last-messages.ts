import { type Clock, formatTimestamp, type Logger, LOGGER, type Timer } from '@lanyard/service';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { EventBatch } from '../queue/event-batch.js';
import { Keys } from '../queue/keys.js';
import { LocalClock } from '../queue/local-clock.js';
import { type RedisCommand, RedisLink } from '../queue/redis-link.js';
import { SharedClock } from '../queue/shared-clock.js';

/** A message that was sent, as an operator reads it. */
export interface LastMessage {
  sent_at: string;
  events: number;
  bytes: number;
  /** `accepted`: by a callback; `sent`: on a WebSocket or to a poll; otherwise why a callback did not accept it. */
  outcome: string;
  excerpt: string;
}

/** Messages that are kept for each channel, and how much of each. */
export const lastMessagesMax = 10;
const excerptBytesMax = 256;
const keptSeconds = 86_400;

/** How often the messages that were sent are written to Redis, whatever their rate. */
const writeMs = 1_000;

/**
 * The last messages that each channel sent, for its operators: any replica answers for all. A replica that is killed
 * loses those of its last second.
 */
@Injectable()
export class LastMessages implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly unwritten = new Map<string, LastMessage[]>();
  private writing: Timer | undefined;

  constructor(
    private readonly link: RedisLink,
    private readonly keys: Keys,
    @Inject(SharedClock) private readonly time: Clock,
    @Inject(LocalClock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.writing = this.clock.every(writeMs, () => void this.write());
  }

  onApplicationShutdown(): void {
    this.writing?.cancel();
  }

  add(channelId: string, { message, count }: Pick<EventBatch, 'message' | 'count'>, outcome: string): void {
    const last = this.unwritten.get(channelId) ?? [];
    if (last.length === lastMessagesMax) last.shift();
    const [sent_at, excerpt] = [formatTimestamp(this.time.now()), message.excerpt(excerptBytesMax)];
    last.push({ sent_at, events: count, bytes: message.bytes, outcome, excerpt });
    this.unwritten.set(channelId, last);
  }

  /** The messages since the channel was created, the newest first. */
  async messagesOf(channelId: string, createdAtMs: number): Promise<LastMessage[]> {
    const texts = await this.link.redis.lrange(this.keys.ofChannel(channelId).last(channelId), 0, -1);
    const messages = texts.map((text) => JSON.parse(text) as LastMessage);
    return messages.filter(({ sent_at: at }) => Date.parse(at) >= createdAtMs);
  }

  private async write(): Promise<void> {
    const commands = [...this.unwritten].flatMap(([channelId, last]): RedisCommand[] => {
      const key = this.keys.ofChannel(channelId).last(channelId);
      const texts = last.map((message) => JSON.stringify(message));
      return [
        ['lpush', key, ...texts],
        ['ltrim', key, 0, lastMessagesMax - 1],
        ['expire', key, keptSeconds],
      ];
    });
    this.unwritten.clear();
    if (commands.length === 0) return;
    // Nothing depends on these messages: without Redis, or with a full one, they are not kept.
    await this.link.together(commands).catch((err: unknown) => this.logger.debug({ err }, 'last messages not written'));
  }
}
