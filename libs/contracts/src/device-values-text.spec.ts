import { describe, expect, it } from '@jest/globals';
import { DeviceValues, type ResourceValueArrived } from './device-values.js';
import { valueText } from './device-values-text.js';
import { fixtures } from './fixtures.js';
import { encodeMessage, InvalidMessage } from './message.js';
import type { Topic } from './topic.js';

const { text: _, ...rest } = DeviceValues;
const bySchema: Topic<ResourceValueArrived> = rest;
const meta = { source: 'test', id: 'uid-1', occurredAtMs: 1_700_000_000_000 };
const { valid, invalid } = fixtures(DeviceValues);
const plain = valid['notification for one key'] as ResourceValueArrived;
const timed = valid['sent later than it was measured'] as ResourceValueArrived;

/** The whole result. */
const outcome = (topic: Topic<ResourceValueArrived>, value: unknown): unknown => {
  try {
    const message = encodeMessage(topic, value as ResourceValueArrived, meta);
    return { ...message, value: message.value?.toString() };
  } catch (error) {
    return error instanceof InvalidMessage ? error.message : error;
  }
};

const oddities: unknown[] = [
  undefined,
  null,
  '',
  'a"b',
  'a\\b',
  'a\nb',
  'line\n',
  'ä ☀ 🙂',
  '\ud800',
  '\x7f',
  '\u2028',
  'x'.repeat(255),
  'x'.repeat(256),
  '0'.repeat(32),
  `${'0'.repeat(32)}\n`,
  '/3/0',
  'QQ==',
  0,
  -0,
  -1,
  1.5,
  NaN,
  2 ** 53 - 1,
  2 ** 53,
  [],
  ['0'.repeat(32), 'f'.repeat(32)],
  ['0'.repeat(32), 7],
  {},
  'send',
];

describe('values that are written out', () => {
  it.each(Object.entries({ ...valid, ...invalid }))('are as by the schema: %s', (_name, value) => {
    expect(outcome(DeviceValues, value)).toEqual(outcome(bySchema, value));
  });

  it.each([...Object.keys(timed), 'objectVersions'])('are as by the schema whatever is in %s', (field) => {
    for (const odd of oddities) {
      const value = { ...timed, [field]: odd };
      expect(outcome(DeviceValues, value)).toEqual(outcome(bySchema, value));
    }
  });

  it.each(Object.keys(plain.item))('are as by the schema whatever is in %s of the item', (field) => {
    for (const odd of oddities) {
      const value = { ...plain, item: { ...plain.item, [field]: odd } };
      expect(outcome(DeviceValues, value)).toEqual(outcome(bySchema, value));
    }
  });

  it('have no unknown fields, and the others in the same order', () => {
    const value = { more: 1, ...Object.fromEntries(Object.entries(plain).reverse()), item: { ...plain.item, more: 1 } };
    expect(outcome(DeviceValues, value)).toEqual(outcome(bySchema, value));
  });

  it('are the usual ones', () => {
    expect(valueText(plain)).toBeDefined();
    expect(valueText(timed)).toBeDefined();
    expect(valueText({ ...plain, endpointName: 'Zähler' })).toBeUndefined();
  });
});
