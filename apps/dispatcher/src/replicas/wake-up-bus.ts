import { CONFIG, keepSubscribed, type Logger, LOGGER, type RedisClient } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { DispatcherConfig } from '../config.js';
import type { WakeUp } from '../queue/channel-queue.js';
import { Keys } from '../queue/keys.js';
import { openRedis, RedisLink } from '../queue/redis-link.js';
import { OWNER } from '../queue/tokens.js';
import { type CloseCause, closeCodes } from './close-codes.js';
import { Holders } from './holders.js';

type Message = { wake: string[] } | { close: string; cause: CloseCause };

const parsed = (text: string): Partial<Record<string, unknown>> => {
  try {
    return (JSON.parse(text) as Partial<Record<string, unknown>> | null) ?? {};
  } catch {
    return {};
  }
};

const isCause = (cause: unknown): cause is CloseCause => typeof cause === 'string' && Object.hasOwn(closeCodes, cause);

/** undefined for messages that no replica sends: other programs may publish on this Redis too. */
export const parseMessage = (text: string): Message | undefined => {
  const { wake, close, cause } = parsed(text);
  if (Array.isArray(wake) && wake.every((each) => typeof each === 'string')) return { wake };
  if (typeof close === 'string' && isCause(cause)) return { close, cause };
  return undefined;
};

/**
 * Messages between replicas, which wake the holders of channels or close them. A message may be lost: a replica also
 * polls which of its holders are to be woken (`woken` in Redis), and a holder that has lost its channel notices that at
 * its next command.
 */
@Injectable()
export class WakeUpBus {
  private readonly subscriber: RedisClient;

  constructor(
    @Inject(CONFIG) { secrets }: DispatcherConfig,
    private readonly link: RedisLink,
    private readonly keys: Keys,
    @Inject(OWNER) private readonly owner: string,
    private readonly holders: Holders,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.subscriber = openRedis(secrets.redisUrl, logger, true);
  }

  async start(): Promise<void> {
    this.subscriber.on('message', (_: string, text: string) => this.receive(text));
    await keepSubscribed(this.subscriber, [this.keys.bus(this.owner)]);
  }

  stop(): void {
    this.subscriber.disconnect();
  }

  wake(wakeUps: readonly WakeUp[]): void {
    const elsewhere = new Map<string, string[]>();
    for (const { channelId, owner, permit } of wakeUps)
      if (owner === this.owner) this.holders.wake(channelId, permit);
      else elsewhere.set(owner, [...(elsewhere.get(owner) ?? []), channelId]);
    for (const [owner, channels] of elsewhere) this.publish(owner, { wake: channels });
  }

  close({ owner, conn }: { owner: string; conn: string }, cause: CloseCause): void {
    if (owner === this.owner) this.holders.closeConn(conn, cause);
    else this.publish(owner, { close: conn, cause });
  }

  private publish(owner: string, message: Message): void {
    this.link.redis
      .publish(this.keys.bus(owner), JSON.stringify(message))
      .catch((err: unknown) => this.logger.debug({ err }, 'wake-up not sent'));
  }

  private receive(text: string): void {
    const message = parseMessage(text);
    if (!message) return;
    if ('wake' in message) for (const channelId of message.wake) this.holders.wake(channelId);
    else this.holders.closeConn(message.close, message.cause);
  }
}
