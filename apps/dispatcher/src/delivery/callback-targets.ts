import { setBounded } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { CallbackTarget } from '../callback-client/callback-sender.js';
import { SealedTargets } from '../callback-client/sealed-targets.js';
import type { Claim } from '../queue/channel-queue.js';

/** Targets remembered; a channel without one costs some more bytes per claim. Far more than there are claims under way. */
const rememberedTargets = 10_000;

/** Where callbacks go, as this replica has learned it from claims. */
@Injectable()
export class CallbackTargets {
  private readonly known = new Map<string, { revision: string; target: CallbackTarget }>();

  constructor(@Inject(SealedTargets) private readonly sealed: Pick<SealedTargets, 'readableTargetOf'>) {}

  /** The known revision of the channel's target. A claim with this revision omits the target. Least recently used: forgotten first. */
  revisionOf(channelId: string): string | undefined {
    const known = this.known.get(channelId);
    if (known) setBounded(this.known, channelId, known, rememberedTargets);
    return known?.revision;
  }

  /** undefined when the target cannot be read, because it was sealed with a key that this replica does not have. */
  targetOf(channelId: string, { revision, target }: Claim): CallbackTarget | undefined {
    const known = this.known.get(channelId);
    if (known && known.revision === revision) return known.target;
    const unsealed = this.sealed.readableTargetOf({ keyId: channelId, target });
    if (unsealed) setBounded(this.known, channelId, { revision, target: unsealed }, rememberedTargets);
    return unsealed;
  }

  forget(channelId: string): void {
    this.known.delete(channelId);
  }
}
