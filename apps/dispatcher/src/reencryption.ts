import { type Logger, LOGGER } from '@lanyard/service';
import { Inject, Injectable, Module } from '@nestjs/common';
import { CallbackClientModule } from './callback-client/callback-client.module.js';
import { SealedTargets } from './callback-client/sealed-targets.js';
import { infrastructure } from './infrastructure.js';
import { ChannelRegistrar } from './store/channel-registrar.js';
import { ChannelStore } from './store/channel-store.js';
import { StoreModule } from './store/store.module.js';

/** The command `reencrypt`: seals every callback with the first key of ENCRYPTION_KEY, in PostgreSQL and in Redis. */
@Injectable()
export class Reencryption {
  constructor(
    private readonly store: ChannelStore,
    private readonly registrar: ChannelRegistrar,
    private readonly targets: SealedTargets,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(): Promise<void> {
    let [resealed, seen] = [0, 0];
    for await (const page of this.store.pages())
      for (const { keyId } of page) {
        seen++;
        if (await this.reseal(keyId)) resealed++;
      }
    this.logger.info({ seen, resealed }, 'callbacks re-encrypted');
  }

  /** False when the callback is sealed with the first key, or there is none. */
  private async reseal(keyId: string): Promise<boolean> {
    return this.store.withLock(keyId, async (locked) => {
      const channel = await locked.find();
      const target = channel?.target ? this.targets.reseal(channel.target) : undefined;
      if (!channel || target === undefined) return false;
      await this.registrar.register(await locked.save({ ...channel, target }), locked, true);
      return true;
    });
  }
}

@Module({ imports: [...infrastructure, StoreModule, CallbackClientModule], providers: [Reencryption] })
export class ReencryptionModule {}
