import type { z } from 'zod';

/** The services that may write or read a topic. `external` are systems of other teams. */
export type Service =
  'gateway' | 'registry' | 'device-proxy' | 'snapshot' | 'event-log' | 'dispatcher' | 'campaigns' | 'external';

/** The arrays a NotificationMessage may carry (spec §6.1). */
export const categories = [
  'notifications',
  'registrations',
  'reg-updates',
  'de-registrations',
  'registrations-expired',
  'async-responses',
] as const;
export type Category = (typeof categories)[number];

/** The receivers of an item: every channel of the account, or the channels of these keys. */
export type Audience = '*' | readonly string[];

/** The category and receivers of an item; undefined when a message carries none. */
export interface Delivery {
  category: Category;
  accountId: string;
  audience: Audience;
  endpointName: string;
  /** When the item was true on the device, if known. */
  measuredAt?: string | undefined;
  /** An item that goes to these keys before the main item, in the same message. */
  ahead?: { uid: string; category: Category; audience: readonly string[]; item: object } | undefined;
}

/** The JSON of a value that begins with an item: that of the item, and the rest after `{"item":…,`. */
export interface FramedText {
  item: string;
  rest: string;
}

/** One topic: the only place where its name exists as a string. */
export interface Topic<V> {
  /** Without the installation's prefix. */
  name: string;
  /** `fact`: never changes, kept for `retentionMs`. `state`: compacted, the last value of each key is kept. */
  kind: 'fact' | 'state';
  version: number;
  /** CloudEvents `type`. */
  type: string;
  producers: readonly Service[];
  consumers: readonly Service[];
  /** Describes the key: messages of one key stay in order. */
  keyIs: string;
  key: (value: V) => string;
  description: string;
  retentionMs: number;
  schema: z.ZodType<V>;
  /** Set on topics whose values start with an item for the customers' channels (docs/adr/0006). */
  delivery?: (value: V) => Delivery | undefined;
  /**
   * Writes what `schema` and JSON.stringify would, for topics where these take too long: ASCII without anything that JSON escapes.
   * undefined: the value is left to these.
   */
  text?: (value: V) => FramedText | undefined;
}

const hourMs = 3_600_000;

/** Facts are kept longer than the 24 h life of an event on a channel (spec §8), so that a lost queue can be rebuilt. */
export const factRetentionMs = 26 * hourMs;

/** States are compacted only after this age, so that a reader of changes sees each of them. */
export const stateCompactionLagMs = 26 * hourMs;

export type TopicDefinition<V> = Omit<Topic<V>, 'type' | 'retentionMs' | 'version'> &
  Partial<Pick<Topic<V>, 'retentionMs' | 'version'>>;

export const topic = <V>({
  version = 1,
  retentionMs = factRetentionMs,
  ...definition
}: TopicDefinition<V>): Topic<V> => ({
  ...definition,
  version,
  retentionMs,
  type: `lanyard.${definition.name}.v${version}`,
});

/** Dead letters of a service, with the reason and the source offset in headers. */
export const deadLetterTopic = (topicName: string, service: string): string => `${topicName}.${service}.dlq`;
