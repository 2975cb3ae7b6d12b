import { payloadSchema } from './payload-schema.ts';

import type { Topic } from '@lanyard/contracts';

const nameOf = (topic: Topic<any>) => topic.name.replaceAll('.', '-');

const headers = {
  type: 'object',
  required: ['ce_specversion', 'ce_id', 'ce_type', 'ce_source', 'ce_time', 'content-type'],
  properties: {
    ce_specversion: { const: '1.0' },
    ce_id: { type: 'string' },
    ce_type: { type: 'string' },
    ce_source: { type: 'string' },
    ce_time: { type: 'string', format: 'date-time' },
    'content-type': { const: 'application/json' },
    traceparent: { type: 'string' },
    ce_requestid: { type: 'string', description: 'Of the REST call that caused the message' },
    ce_itembytes: { type: 'string', description: 'Length of the item at the start of the value' },
    ce_category: { type: 'string' },
    ce_account: { type: 'string' },
    ce_audience: { type: 'string' },
    ce_endpoint: { type: 'string' },
    ce_measuredat: { type: 'string', description: 'When the device measured the item, if it reported a time' },
    ce_ahead: { type: 'string', description: 'JSON of an item that goes to channels before the one of the message' },
  },
};

/**
 * The AsyncAPI 3.0 document of all topics: for each topic one channel and one message, with a send operation for each
 * producer and a receive operation for each consumer.
 */
export const asyncApi = (topics: readonly Topic<any>[]) => ({
  asyncapi: '3.0.0',
  info: {
    title: 'Lanyard topics',
    version: '1.0.0',
    description: 'What the services of Lanyard say to each other over Kafka.',
    license: { name: 'Apache-2.0' },
  },
  defaultContentType: 'application/json',
  channels: Object.fromEntries(
    topics.map((t) => [
      nameOf(t),
      {
        address: t.name,
        description: t.description,
        messages: { [nameOf(t)]: { $ref: `#/components/messages/${nameOf(t)}` } },
      },
    ]),
  ),
  operations: Object.fromEntries(
    topics.flatMap((t) => {
      const channel = { $ref: `#/channels/${nameOf(t)}` };
      const messages = [{ $ref: `#/channels/${nameOf(t)}/messages/${nameOf(t)}` }];
      return [
        ...t.producers.map((p) => [`${p}-sends-${nameOf(t)}`, { action: 'send', channel, messages }]),
        ...t.consumers.map((c) => [`${c}-receives-${nameOf(t)}`, { action: 'receive', channel, messages }]),
      ];
    }),
  ),
  components: {
    messages: Object.fromEntries(
      topics.map((t) => [
        nameOf(t),
        {
          name: t.type,
          title: t.description,
          headers: { $ref: '#/components/schemas/headers' },
          payload: { $ref: `#/components/schemas/${nameOf(t)}` },
        },
      ]),
    ),
    schemas: { headers, ...Object.fromEntries(topics.map((t) => [nameOf(t), payloadSchema(t)])) },
  },
});
