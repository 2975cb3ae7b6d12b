import type { IntakeBatch, IntakeEvent } from './intake-event.js';

/** Events of one channel in the order of their arrival, for each batch that has some. */
export interface ChannelEvents {
  channelId: string;
  accountId: string;
  parts: { batch: IntakeBatch; events: IntakeEvent[] }[];
}

/** Names a partition in the offset store. */
export const positionOf = ({ topic, partition }: { topic: string; partition: number }): string =>
  `${topic}:${partition}`;

/** Accounts in which every channel gets something. */
export const accountsWithBroadcasts = (batches: readonly IntakeBatch[]): Set<string> => {
  const accounts = new Set<string>();
  for (const { events } of batches)
    for (const { item } of events) if (item.audience === '*') accounts.add(item.accountId);
  return accounts;
};

/** Whether a key may get the events of a device. */
export type MaySee = (keyId: string, event: { readonly deviceId: string }) => boolean;

/**
 * The events of each channel. A channel has the id of its key, so an audience of keys is also one of channels. `members`:
 * the channels of each account in `accountsWithBroadcasts`. `maySee`: absent if every key sees all devices of its account.
 */
export const channelEvents = (
  batches: readonly IntakeBatch[],
  members: ReadonlyMap<string, readonly string[]>,
  maySee?: MaySee,
): ChannelEvents[] => {
  const found: ChannelEvents[] = [];
  // By account first: events of two accounts never share an entry, whatever their audience is.
  const byAccount = new Map<string, Map<string, ChannelEvents>>();
  const eventsOf = (channelId: string, accountId: string): ChannelEvents => {
    let ofAccount = byAccount.get(accountId);
    if (!ofAccount) byAccount.set(accountId, (ofAccount = new Map<string, ChannelEvents>()));
    let channel = ofAccount.get(channelId);
    if (!channel) {
      channel = { channelId, accountId, parts: [] };
      ofAccount.set(channelId, channel);
      found.push(channel);
    }
    return channel;
  };
  const add = (channel: ChannelEvents, batch: IntakeBatch, event: IntakeEvent): void => {
    const last = channel.parts.at(-1);
    if (last?.batch === batch) last.events.push(event);
    else channel.parts.push({ batch, events: [event] });
  };
  // Events of one device come in a row, and nearly always for the same key.
  let previous: ChannelEvents | undefined;
  for (const batch of batches)
    for (const event of batch.events) {
      const { accountId, audience } = event.item;
      if (previous && audience.length === 1 && audience[0] === previous.channelId && accountId === previous.accountId) {
        if (!maySee || maySee(previous.channelId, event)) add(previous, batch, event);
        continue;
      }
      for (const channelId of audience === '*' ? (members.get(accountId) ?? []) : audience)
        if (!maySee || maySee(channelId, event)) add((previous = eventsOf(channelId, accountId)), batch, event);
    }
  return found;
};
