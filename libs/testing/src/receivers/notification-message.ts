/** A message as an application receives it: arrays of events by category. */
export type ReceivedMessage = Record<string, unknown[]>;

export const parseMessage = (text: string): ReceivedMessage => JSON.parse(text) as ReceivedMessage;

/** The events of one category in several messages, in the order of arrival. */
export const eventsOf = (messages: readonly ReceivedMessage[], category: string): unknown[] =>
  messages.flatMap((message) => message[category] ?? []);
