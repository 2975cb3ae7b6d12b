import { type Clock, type Identity, type Logger, LOGGER } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { Channel } from '../db/channel.entity.js';
import { assessed, type ChannelHealth } from '../db/channel-health.js';
import { KeyDirectory } from '../keys/key-directory.js';
import { SharedClock } from '../queue/shared-clock.js';
import { ChannelRegistrar } from '../store/channel-registrar.js';
import { ChannelStore } from '../store/channel-store.js';

/** Stops or resumes a callback according to the state of its key. */
@Injectable()
export class CallbackHealth {
  constructor(
    private readonly store: ChannelStore,
    private readonly registrar: ChannelRegistrar,
    private readonly keys: KeyDirectory,
    @Inject(SharedClock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Stops or resumes the callback. Keeps queue and retries. Idempotent. */
  async update(keyId: string): Promise<void> {
    const before = await this.store.find(keyId);
    if (!before || this.isCurrent(before)) return;
    await this.store.withLock(keyId, async (locked) => {
      const channel = await locked.find();
      if (!channel || this.isCurrent(channel)) return;
      const saved = await locked.save({ ...channel, ...this.assessed(keyId, channel) });
      await this.registrar.register(saved, locked, true);
      if (saved.stopped !== channel.stopped)
        this.logger.info({ channelId: keyId, stopped: saved.stopped }, 'callback state updated');
    });
  }

  /** Whether the channel reflects what is known of its key. */
  isCurrent(channel: Channel): boolean {
    return channel.kind !== 'callback' || this.assessed(channel.keyId, channel) === channel;
  }

  assessed<S extends ChannelHealth>(keyId: string, health: S): S | ChannelHealth {
    return assessed(health, this.keys.stateOf(keyId), new Date(this.clock.now()));
  }

  isDeleted(keyId: string): boolean {
    return this.keys.isDeleted(keyId);
  }

  /** The secret that a request was made with; when the gateway does not say, the one that is known when the request arrives. */
  async secretOf({ keyId, secretFingerprint }: Pick<Identity, 'keyId' | 'secretFingerprint'>): Promise<string | null> {
    if (secretFingerprint === undefined) return this.keys.stateOf(keyId)?.fingerprint ?? null;
    await this.keys.waitForSecret(keyId, secretFingerprint);
    return secretFingerprint;
  }
}
