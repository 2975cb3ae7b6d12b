import type { IntakeBatch, IntakeEvent } from './intake-event.js';

/** Events of one channel in the order in which they came; the account that they belong to. */
export interface Delivery {
  channelId: string;
  accountId: string;
  events: { event: IntakeEvent; position: string }[];
}

/** Names a partition in the offset store. */
export const positionOf = ({ topic, partition }: { topic: string; partition: number }): string =>
  `${topic}:${partition}`;

/** Accounts of which every channel gets something. */
export const accountsOf = (batches: readonly IntakeBatch[]): Set<string> => {
  const accounts = new Set<string>();
  for (const { events } of batches)
    for (const { item } of events) if (item.audience === '*') accounts.add(item.accountId);
  return accounts;
};

/**
 * Who gets what. A channel has the id of its key, so an audience of keys is one of channels. `members` are the
 * channels of each account in `accountsOf`.
 */
export const deliveries = (
  batches: readonly IntakeBatch[],
  members: ReadonlyMap<string, readonly string[]>,
): Delivery[] => {
  const found = new Map<string, Delivery>();
  for (const batch of batches) {
    const position = positionOf(batch);
    for (const event of batch.events) {
      const { accountId, audience } = event.item;
      for (const channelId of audience === '*' ? (members.get(accountId) ?? []) : audience) {
        // The account is part of the name: events of two accounts never share a delivery, whatever their audience says.
        const name = `${channelId}|${accountId}`;
        const delivery = found.get(name);
        if (delivery) delivery.events.push({ event, position });
        else found.set(name, { channelId, accountId, events: [{ event, position }] });
      }
    }
  }
  return [...found.values()];
};
