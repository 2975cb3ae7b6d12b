import { type Logger, LOGGER } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { CallbackTarget } from '../callback-client/callback-sender.js';
import { SealedTargets } from '../callback-client/sealed-targets.js';
import type { Claim } from '../queue/channel-queue.js';

/** Targets remembered; a channel that is not among them costs some bytes more per claim. */
const rememberedTargets = 10_000;

/** Where callbacks go, as this replica has learned it from claims. */
@Injectable()
export class CallbackTargets {
  private readonly known = new Map<string, { revision: string; target: CallbackTarget }>();

  constructor(
    @Inject(SealedTargets) private readonly sealed: Pick<SealedTargets, 'open'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** The revision of the target that is known of a channel. */
  revisionOf(channelId: string): string | undefined {
    return this.known.get(channelId)?.revision;
  }

  /** undefined when it cannot be read: sealed with a key that this replica does not have. */
  targetOf(channelId: string, { revision, target }: Claim): CallbackTarget | undefined {
    const known = this.known.get(channelId);
    if (known && known.revision === revision) return known.target;
    if (this.known.size > rememberedTargets) this.known.clear();
    try {
      const unsealed = this.sealed.open(target);
      this.known.set(channelId, { revision, target: unsealed });
      return unsealed;
    } catch (err) {
      this.logger.error({ err, channelId }, 'callback target cannot be unsealed');
      return undefined;
    }
  }

  forget(channelId: string): void {
    this.known.delete(channelId);
  }
}
