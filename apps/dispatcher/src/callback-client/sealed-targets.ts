import { CONFIG, type Logger, LOGGER, open, reseal, seal } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { DispatcherConfig } from '../config.js';
import type { CallbackTarget } from './callback-sender.js';

/** Callback targets as they are stored: encrypted with ENCRYPTION_KEY. */
@Injectable()
export class SealedTargets {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<DispatcherConfig, 'secrets'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  seal(target: CallbackTarget): string {
    return seal(this.config.secrets.encryptionKey, JSON.stringify(target));
  }

  /** Throws when it was sealed with a key that this replica does not have. */
  open(sealed: string): CallbackTarget {
    return JSON.parse(open(this.config.secrets.encryptionKey, sealed)) as CallbackTarget;
  }

  /** undefined when the channel has none, or when this replica cannot open the target: its owner may register it again. */
  readableTargetOf({ keyId, target }: { keyId: string; target: string | null }): CallbackTarget | undefined {
    if (target === null) return undefined;
    try {
      return this.open(target);
    } catch (err) {
      this.logger.error({ err, channelId: keyId }, 'callback target cannot be unsealed');
      return undefined;
    }
  }

  /** The same target, sealed with the first encryption key. undefined: it is sealed with that key already. */
  reseal(sealed: string): string | undefined {
    return reseal(this.config.secrets.encryptionKey, sealed);
  }
}
