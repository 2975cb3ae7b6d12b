import { type Category, type Delivery, type FramedText, type Topic, categories } from './topic.js';
import { newUid } from './uid.js';

/** Headers every message has: CloudEvents 1.0, Kafka binary content mode. */
export const headerNames = {
  specVersion: 'ce_specversion',
  id: 'ce_id',
  type: 'ce_type',
  source: 'ce_source',
  time: 'ce_time',
  contentType: 'content-type',
  traceParent: 'traceparent',
  /** Id of the REST request that caused the message. */
  requestId: 'ce_requestid',
  itemBytes: 'ce_itembytes',
  category: 'ce_category',
  account: 'ce_account',
  audience: 'ce_audience',
  endpoint: 'ce_endpoint',
  /** When the device measured the item, if it reported a time. */
  measuredAt: 'ce_measuredat',
  /** JSON: an item that goes to channels before the message's own. */
  ahead: 'ce_ahead',
} as const;

export type Headers = Record<string, string>;

export interface HeaderReader {
  /** undefined if the message has no such header. */
  get(name: string): string | undefined;
}

export interface EncodedMessage {
  key: string;
  value: Buffer | null;
  headers: Headers;
}

/** An EncodedMessage whose value may still be text, to be encoded when it is sent. The text is ASCII. */
export interface WritableMessage extends Omit<EncodedMessage, 'value'> {
  value: Buffer | string | null;
}

export interface MessageMeta {
  /** CloudEvents source: the producing service. */
  source: string;
  /** CloudEvents id; also the `uid` of the item on channels. Default: a new one, which contains its time of creation. */
  id?: string;
  occurredAtMs?: number;
  traceParent?: string;
  /** Id of the REST request that caused it. */
  requestId?: string;
}

/** The message violates its topic's schema or framing. Never retriable: it becomes a dead letter. */
export class InvalidMessage extends Error {
  constructor(
    readonly topicName: string,
    readonly problem: string,
  ) {
    super(`${topicName}: ${problem}`);
    this.name = 'InvalidMessage';
  }
}

/** Where an item starts in a framed value: after `{"item":`. */
const itemOffset = Buffer.byteLength('{"item":');

const describe = (issues: readonly { path: PropertyKey[]; message: string }[]): string =>
  issues.map((i) => `${i.path.map(String).join('.') || 'value'}: ${i.message}`).join('; ');

const check = <V>(topic: Topic<V>, value: unknown): V => {
  const result = topic.schema.safeParse(value);
  if (!result.success) throw new InvalidMessage(topic.name, describe(result.error.issues));
  return result.data;
};

/** The headers are written out: built with `...` from parts and `headerNames`, they took half of the time that a message takes. */
type Base = Record<'ce_specversion' | 'ce_id' | 'ce_type' | 'ce_source' | 'ce_time' | 'content-type', string>;
type Framed = Base & Record<'ce_itembytes' | 'ce_category' | 'ce_account' | 'ce_audience' | 'ce_endpoint', string>;

let timeMs = NaN;
let timeText = '';

/** Cached, because many messages have the same millisecond. */
const isoTime = (atMs: number): string => {
  if (atMs !== timeMs) [timeMs, timeText] = [atMs, new Date(atMs).toISOString()];
  return timeText;
};

const traced = (headers: Headers, { traceParent, requestId }: MessageMeta): Headers => {
  if (traceParent) headers[headerNames.traceParent] = traceParent;
  if (requestId) headers[headerNames.requestId] = requestId;
  return headers;
};

const baseHeaders = <V>(topic: Topic<V>, meta: MessageMeta): Headers => {
  const headers: Base = {
    ce_specversion: '1.0',
    ce_id: meta.id ?? newUid(),
    ce_type: topic.type,
    ce_source: meta.source,
    ce_time: isoTime(meta.occurredAtMs ?? Date.now()),
    'content-type': 'application/json',
  };
  return traced(headers, meta);
};

const framedHeaders = <V>(topic: Topic<V>, meta: MessageMeta, delivery: Delivery, itemBytes: number): Headers => {
  const nowMs = Date.now();
  const headers: Framed = {
    ce_specversion: '1.0',
    ce_id: meta.id ?? newUid(nowMs),
    ce_type: topic.type,
    ce_source: meta.source,
    ce_time: isoTime(meta.occurredAtMs ?? nowMs),
    'content-type': 'application/json',
    ce_itembytes: String(itemBytes),
    ce_category: delivery.category,
    ce_account: delivery.accountId,
    ce_audience: delivery.audience === '*' ? '*' : delivery.audience.join(','),
    ce_endpoint: delivery.endpointName,
  };
  if (delivery.measuredAt !== undefined) (headers as Headers)[headerNames.measuredAt] = delivery.measuredAt;
  if (delivery.ahead !== undefined) (headers as Headers)[headerNames.ahead] = JSON.stringify(delivery.ahead);
  return traced(headers, meta);
};

const framedMessage = <V>(
  topic: Topic<V>,
  value: V,
  meta: MessageMeta,
  { item, rest }: FramedText,
): WritableMessage | undefined => {
  const delivery = topic.delivery?.(value);
  if (!delivery) return undefined;
  const headers = framedHeaders(topic, meta, delivery, item.length);
  return { key: topic.key(value), value: `{"item":${item},${rest}`, headers };
};

/** Key, value and headers of a message. Throws InvalidMessage when the value does not fit the topic's schema. */
export const writeMessage = <V>(topic: Topic<V>, value: V, meta: MessageMeta): WritableMessage => {
  const text = topic.text?.(value);
  const written = text && framedMessage(topic, value, meta, text);
  if (written) return written;
  const checked = check(topic, value);
  const key = topic.key(checked);
  const delivery = topic.delivery?.(checked);
  if (!delivery) return { key, value: Buffer.from(JSON.stringify(checked)), headers: baseHeaders(topic, meta) };
  const framed = checked as { item?: object };
  const itemJson = JSON.stringify(framed.item);
  // The schema created this object and nothing else refers to it, so it is changed in place: undefined is omitted.
  framed.item = undefined;
  const bytes = Buffer.from(`{"item":${itemJson},${JSON.stringify(framed).slice(1)}`);
  return { key, value: bytes, headers: framedHeaders(topic, meta, delivery, Buffer.byteLength(itemJson)) };
};

/** Like `writeMessage`, with a value in bytes. Throws InvalidMessage. */
export const encodeMessage = <V>(topic: Topic<V>, value: V, meta: MessageMeta): EncodedMessage => {
  const { key, value: written, headers } = writeMessage(topic, value, meta);
  return { key, value: typeof written === 'string' ? Buffer.from(written, 'latin1') : written, headers };
};

/** A tombstone for a key of a state topic. */
export const encodeTombstone = <V>(topic: Topic<V>, key: string, meta: MessageMeta): EncodedMessage => ({
  key,
  value: null,
  headers: baseHeaders(topic, meta),
});

/** The value of a message. Throws InvalidMessage unless it is JSON of the topic's schema. */
export const decodeMessage = <V>(topic: Topic<V>, value: Buffer | null): V => {
  if (!value) throw new InvalidMessage(topic.name, 'value: empty');
  let parsed: unknown;
  try {
    parsed = JSON.parse(value.toString('utf8'));
  } catch {
    throw new InvalidMessage(topic.name, 'value: not JSON');
  }
  return check(topic, parsed);
};

/** An item for channels, cut out of a message without parsing it. */
export interface FramedItem {
  item: Buffer;
  category: Category;
  accountId: string;
  /** `*`: every channel of the account; otherwise key ids, possibly none. */
  audience: '*' | string[];
  endpointName: string;
  /** CloudEvents id: the same on every delivery of this item. */
  uid: string;
  /** When the device measured it, if it reported a time. */
  measuredAtMs?: number | undefined;
}

const isCategory = (text: string | undefined): text is Category => categories.includes(text as Category);

/** The item of a framed message; undefined when the message carries none. Throws InvalidMessage on broken framing. */
export const sliceItem = (topicName: string, value: Buffer | null, headers: HeaderReader): FramedItem | undefined => {
  const length = headers.get(headerNames.itemBytes);
  if (length === undefined) return undefined;
  const end = itemOffset + Number(length);
  const category = headers.get(headerNames.category);
  const accountId = headers.get(headerNames.account);
  const audience = headers.get(headerNames.audience);
  const uid = headers.get(headerNames.id);
  if (!value || !Number.isInteger(end) || end <= itemOffset || end >= value.length)
    throw new InvalidMessage(topicName, 'ce_itembytes: beyond the value');
  if (value[itemOffset] !== 0x7b || value[end - 1] !== 0x7d)
    throw new InvalidMessage(topicName, 'ce_itembytes: cuts no object');
  if (!isCategory(category)) throw new InvalidMessage(topicName, 'ce_category: unknown');
  const measuredAt = headers.get(headerNames.measuredAt);
  const measuredAtMs = measuredAt === undefined ? undefined : Date.parse(measuredAt);
  if (Number.isNaN(measuredAtMs)) throw new InvalidMessage(topicName, 'ce_measuredat: no time');
  if (!accountId || audience === undefined || !uid)
    throw new InvalidMessage(topicName, 'headers: account, audience or id missing');
  return {
    item: value.subarray(itemOffset, end),
    category,
    accountId,
    audience: audience === '*' ? '*' : audience === '' ? [] : audience.split(','),
    endpointName: headers.get(headerNames.endpoint) ?? '',
    uid,
    measuredAtMs,
  };
};

/** The item that goes to channels before the message's own. Throws InvalidMessage when it cannot be read. */
export const sliceAhead = (
  topicName: string,
  { accountId, endpointName }: Pick<FramedItem, 'accountId' | 'endpointName'>,
  headers: HeaderReader,
): FramedItem | undefined => {
  const text = headers.get(headerNames.ahead);
  if (text === undefined) return undefined;
  let ahead: { uid?: unknown; category?: string; audience?: unknown; item?: unknown };
  try {
    ahead = JSON.parse(text) as typeof ahead;
  } catch {
    throw new InvalidMessage(topicName, 'ce_ahead: not JSON');
  }
  const { uid, category, audience, item } = ahead;
  if (typeof uid !== 'string' || !isCategory(category) || !Array.isArray(audience) || typeof item !== 'object' || !item)
    throw new InvalidMessage(topicName, 'ce_ahead: no item with category, audience and uid');
  const bytes = Buffer.from(JSON.stringify(item));
  return { item: bytes, category, accountId, audience: audience.map(String), endpointName, uid };
};
