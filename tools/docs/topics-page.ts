import { markdownTable } from '../lanyard/tables.ts';
import { payloadSchema } from './payload-schema.ts';
import type { Topic } from '@lanyard/contracts';

const hourMs = 3_600_000;

const typeOf = (schema: any): string => {
  if (schema.enum) return schema.enum.map((v: string) => `\`${v}\``).join(', ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items)}`;
  if (schema.type === 'object' && schema.properties)
    return `object: ${Object.keys(schema.properties)
      .map((k) => `\`${k}\``)
      .join(', ')}`;
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ');
  return schema.type ?? 'any';
};

const section = (topic: Topic<any>) => {
  const schema = payloadSchema(topic);
  const required = new Set(schema.required ?? []);
  const rows = Object.entries<any>(schema.properties).map(([name, field]) => [
    `\`${name}\``,
    ...[typeOf(field), required.has(name) ? 'yes' : '', field.description ?? ''],
  ]);
  return [
    `## ${topic.name}`,
    topic.description,
    `Type \`${topic.type}\`. Key: ${topic.keyIs}. ${topic.delivery ? 'Carries an item for channels.' : ''}`,
    markdownTable(['Field', 'Type', 'Required', 'Meaning'], rows),
  ].join('\n\n');
};

export const topicsPage = (topics: readonly Topic<any>[]) => {
  const rows = topics.map((t) => [
    `[${t.name}](#${t.name.replaceAll('.', '')})`,
    ...[t.kind, t.keyIs, t.producers.join(', '), t.consumers.join(', ')],
    t.kind === 'state' ? 'last value per key' : `${t.retentionMs / hourMs} h`,
  ]);
  return [
    '# Topics',
    'Generated from `libs/contracts` by `npm run docs`; CI checks it.',
    '*Facts* are past tense and never change. *State* topics are compacted: the last value of each key stays. Messages of one key are in order.',
    markdownTable(['Topic', 'Kind', 'Key', 'Producers', 'Consumers', 'Kept'], rows),
    'Every message is a CloudEvents 1.0 event in Kafka binary mode: headers `ce_specversion`, `ce_id`, `ce_type`, `ce_source`, `ce_time`, `content-type`, `traceparent` when traced, and `ce_requestid` when a REST call caused it: the id of that call. The value is JSON. What a service cannot process goes to `<topic>.<service>.dlq` with the reason and the source offset in headers.',
    'A topic that carries items for notification channels has values that begin with `{"item":…`, and says in headers where the item ends (`ce_itembytes`), which array of the NotificationMessage it belongs to (`ce_category`), which account it belongs to (`ce_account`), which keys get it (`ce_audience`; `*` for every channel of the account) and what the device calls itself (`ce_endpoint`). Two headers are optional: when the device measured the item (`ce_measuredat`), and an item that goes to the channels before it (`ce_ahead`), such as the answer to a subscription. See [ADR 6](adr/0006-items-are-serialised-once.md).',
    ...topics.map(section),
    '',
  ].join('\n\n');
};
