import type { ClaimedChannel, ClaimOffer, WakeUp } from './channel-queue.js';

/** What an append changed, for the parts that deliver events. */
export interface AppendOutcome {
  /** Whether some callback channel has something to send now. */
  callbacksReady: boolean;
  /** Channels with a socket or an open poll. */
  wake: WakeUp[];
  /** Callbacks that this append claimed for this replica. */
  claimed: ClaimedChannel[];
  events: number;
  /** Events that no channel got, by reason. */
  skipped: { noChannel: number; beforeChannel: number };
  dropped: { size: number; age: number };
}

export const nothingAppended = (): AppendOutcome => ({
  callbacksReady: false,
  wake: [],
  claimed: [],
  events: 0,
  skipped: { noChannel: 0, beforeChannel: 0 },
  dropped: { size: 0, age: 0 },
});

/** Decides which callback channels an append may claim. */
export interface ChannelClaimer {
  /** undefined: the channel is claimed when its turn comes. */
  offer(channelId: string): ClaimOffer | undefined;
  /** The offer was not used. */
  withdraw(offer: ClaimOffer): void;
}
