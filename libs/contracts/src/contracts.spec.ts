import { describe, expect, it } from '@jest/globals';
import { DeviceCommandResults, type DeviceCommandFinished } from './device-commands.js';
import { DeviceLifecycle, type DeviceLifecycleChanged } from './device-lifecycle.js';
import { DeviceSessions, type DeviceSessionChanged } from './device-sessions.js';
import { DeviceValues, type ResourceValueArrived } from './device-values.js';
import { fixtures } from './fixtures.js';
import { decodeMessage, encodeMessage, headerNames, InvalidMessage, sliceAhead, sliceItem } from './message.js';
import type { Topic } from './topic.js';
import { topics } from './topics.js';

const every = topics.map((topic) => [topic.name, topic as unknown as Topic<unknown>] as const);
const meta = { source: 'test' };

describe.each(every)('%s', (_, topic) => {
  const { valid, invalid } = fixtures(topic);

  it('has valid and invalid fixtures', () => {
    expect(Object.keys(valid).length).toBeGreaterThan(1);
    expect(Object.keys(invalid).length).toBeGreaterThan(1);
  });

  it.each(Object.entries(valid))('takes: %s', (_name, value) => {
    const message = encodeMessage(topic, value, meta);
    expect(decodeMessage(topic, message.value)).toEqual(value);
    expect(message.key).not.toContain('undefined');
    expect(message.headers).toMatchObject({ ce_specversion: '1.0', ce_type: topic.type, ce_source: 'test' });
  });

  it.each(Object.entries(invalid))('refuses: %s', (_name, value) => {
    expect(() => encodeMessage(topic, value, meta)).toThrow(InvalidMessage);
    expect(() => decodeMessage(topic, Buffer.from(JSON.stringify(value)))).toThrow(InvalidMessage);
  });

  it('ignores fields it does not know: producers may add some', () => {
    const [value] = Object.values(valid);
    const bytes = Buffer.from(JSON.stringify({ ...(value as object), addedLater: true }));
    expect(decodeMessage(topic, bytes)).toEqual(value);
  });
});

describe('framed messages', () => {
  const value = fixtures(DeviceValues).valid['name in UTF-8'] as ResourceValueArrived;
  const session = fixtures(DeviceSessions).valid['name with quotes and UTF-8'] as DeviceSessionChanged;
  const result = fixtures(DeviceCommandResults).valid['expired in the queue'] as DeviceCommandFinished;

  it('the item is cut out byte for byte, with its audience', () => {
    const { value: bytes, headers } = encodeMessage(DeviceValues, value, { source: 'test', id: 'uid-1' });
    const framed = sliceItem('t', bytes, new Map(Object.entries(headers)));
    expect(framed).toMatchObject({
      category: 'notifications',
      audience: value.audience,
      uid: 'uid-1',
      endpointName: 'Zähler-7 ☀',
    });
    expect(framed?.item.toString()).toBe(JSON.stringify(value.item));
    expect(framed?.item.toString().startsWith(`{"ep":"${value.deviceId}"`)).toBe(true);
  });

  it('an item says when the device measured it, where the device does', () => {
    const timed = fixtures(DeviceValues).valid['sent later than it was measured'] as ResourceValueArrived;
    const measuredAtOf = (of: ResourceValueArrived): number | undefined => {
      const { value: bytes, headers } = encodeMessage(DeviceValues, of, meta);
      return sliceItem('t', bytes, new Map(Object.entries(headers)))?.measuredAtMs;
    };
    expect(measuredAtOf(timed)).toBe(Date.parse('2024-01-01T09:15:00.250Z'));
    expect(measuredAtOf({ ...timed, endpointName: 'Zähler' })).toBe(Date.parse('2024-01-01T09:15:00.250Z'));
    expect(measuredAtOf(value)).toBeUndefined();
  });

  it('a registration is for every channel of the account', () => {
    const { value: bytes, headers } = encodeMessage(DeviceSessions, session, meta);
    expect(sliceItem('t', bytes, new Map(Object.entries(headers)))).toMatchObject({
      category: 'registrations',
      audience: '*',
      accountId: session.accountId,
    });
  });

  it('an async response is for the key that sent the command', () => {
    const { value: bytes, headers } = encodeMessage(DeviceCommandResults, result, meta);
    const framed = sliceItem('t', bytes, new Map(Object.entries(headers)));
    expect(framed?.audience).toEqual([result.keyId]);
    expect(JSON.parse(String(framed?.item))).toEqual(result.item);
  });

  it('the result of a command whose sender wants no answer is for no channel', () => {
    const quiet = fixtures(DeviceCommandResults).valid['of a command whose sender wants no answer'];
    const { value: bytes, headers } = encodeMessage(DeviceCommandResults, quiet as DeviceCommandFinished, meta);
    expect(sliceItem('t', bytes, new Map(Object.entries(headers)))?.audience).toEqual([]);
  });

  it('the answer of a subscription goes ahead of its first value, and not with its result', () => {
    const first = fixtures(DeviceValues).valid[
      'first value, with the answer of its subscription'
    ] as ResourceValueArrived;
    const { value: bytes, headers } = encodeMessage(DeviceValues, first, meta);
    const reader = new Map(Object.entries(headers));
    const framed = sliceItem('t', bytes, reader);
    if (!framed) throw new Error('no item');
    const ahead = sliceAhead('t', framed, reader);
    expect(ahead).toMatchObject({
      category: 'async-responses',
      uid: first.answer?.uid,
      audience: [first.answer?.keyId],
    });
    expect(JSON.parse(String(ahead?.item))).toEqual(first.answer?.item);
    expect(sliceAhead('t', framed, new Map())).toBeUndefined();
    for (const broken of ['{', '{}', '{"uid":"u","category":"async-responses","audience":[]}'])
      expect(() => sliceAhead('t', framed, new Map([[headerNames.ahead, broken]]))).toThrow(InvalidMessage);
    const told = fixtures(DeviceCommandResults).valid['subscription that was answered with its first value'];
    const result = encodeMessage(DeviceCommandResults, told as DeviceCommandFinished, meta);
    expect(sliceItem('t', result.value, new Map(Object.entries(result.headers)))?.audience).toEqual([]);
  });

  it('a message of a topic without items carries nothing for channels', () => {
    const [suspended] = Object.values(fixtures(DeviceLifecycle).valid) as DeviceLifecycleChanged[];
    const { value: bytes, headers } = encodeMessage(DeviceLifecycle, suspended!, meta);
    expect(sliceItem('t', bytes, new Map(Object.entries(headers)))).toBeUndefined();
  });

  it.each([
    ['length beyond the value', { [headerNames.itemBytes]: '99999' }],
    ['length no number', { [headerNames.itemBytes]: 'x' }],
    ['length that cuts the object', { [headerNames.itemBytes]: '20' }],
    ['negative length', { [headerNames.itemBytes]: '-3' }],
    ['unknown category', { [headerNames.category]: 'gossip' }],
    ['measured at no time', { [headerNames.measuredAt]: 'soon' }],
    ['no account', { [headerNames.account]: '' }],
  ])('refuses broken framing: %s', (_, broken) => {
    const { value: bytes, headers } = encodeMessage(DeviceValues, value, meta);
    const damaged = new Map(Object.entries({ ...headers, ...broken }));
    expect(() => sliceItem('t', bytes, damaged)).toThrow(InvalidMessage);
  });

  it('refuses what is no JSON', () => {
    expect(() => decodeMessage(DeviceValues, Buffer.from('{'))).toThrow(InvalidMessage);
    expect(() => decodeMessage(DeviceValues, null)).toThrow(InvalidMessage);
  });
});
