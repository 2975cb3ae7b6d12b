import { describe, expect, it } from '@jest/globals';
import type { Category, FramedItem } from '@lanyard/contracts';
import { NotificationMessage } from './notification-message.js';
import { render } from './render.js';
import { renderCode, type RenderOptions } from './render-options.js';

const ep = '0178a2c0d1e400000000000100100001';
const at = 1_700_000_000_123;

const item = (category: Category, json: string, endpointName = 'meter "7"'): FramedItem => ({
  item: Buffer.from(json),
  category,
  accountId: '0178a2c0d1e400000000000000000001',
  audience: '*',
  endpointName,
  uid: '6f0c7a0e-1f5d-4e0e-9a39-2f6b9b6d1c11',
});

const none: RenderOptions = {
  include_uid: false,
  include_timestamp: false,
  include_original_ep: false,
  deregistrations_as_object: false,
  use_endpoint_name: false,
};

const rendered = (of: FramedItem, options: Partial<RenderOptions> = {}): string =>
  render(of, at, renderCode({ ...none, ...options })).toString();

const value = item('notifications', `{"ep":"${ep}","path":"/3303/0/5700","payload":"MjE="}`);
const gone = item('de-registrations', `{"ep":"${ep}"}`);
const came = item('registrations', `{"ep":"${ep}","q":false}`);
const updated = item('reg-updates', `{"ep":"${ep}","q":false}`);
const response = item('async-responses', '{"id":"read-1","status":200,"payload":""}', '');

describe('an event as a channel gets it', () => {
  const uid = '"uid":"6f0c7a0e-1f5d-4e0e-9a39-2f6b9b6d1c11"';
  const original = '"original-ep":"meter \\"7\\""';
  it.each<[string, FramedItem, Partial<RenderOptions>, string]>([
    ['plain', value, {}, `{"ep":"${ep}","path":"/3303/0/5700","payload":"MjE="}`],
    ['uid', value, { include_uid: true }, `{"ep":"${ep}","path":"/3303/0/5700","payload":"MjE=",${uid}}`],
    [
      'timestamp',
      value,
      { include_timestamp: true },
      `{"ep":"${ep}","path":"/3303/0/5700","payload":"MjE=","timestamp":${at}}`,
    ],
    [
      "the device's own time",
      { ...value, measuredAtMs: at - 60_000 },
      { include_timestamp: true },
      `{"ep":"${ep}","path":"/3303/0/5700","payload":"MjE=","timestamp":${at - 60_000}}`,
    ],
    [
      'original name',
      value,
      { include_original_ep: true },
      `{"ep":"${ep}","path":"/3303/0/5700","payload":"MjE=",${original}}`,
    ],
    [
      'name for id',
      value,
      { use_endpoint_name: true },
      '{"ep":"meter \\"7\\"","path":"/3303/0/5700","payload":"MjE="}',
    ],
    [
      'all of them',
      value,
      { include_uid: true, include_timestamp: true, include_original_ep: true, use_endpoint_name: true },
      `{"ep":"meter \\"7\\"","path":"/3303/0/5700","payload":"MjE=",${uid},"timestamp":${at},${original}}`,
    ],
    ['a device that came', came, {}, `{"ep":"${ep}","q":false,${original}}`],
    ['a device that updates its registration', updated, {}, `{"ep":"${ep}","q":false,${original}}`],
    ['a device that left', gone, {}, `"${ep}"`],
    ['a device that left, by name', gone, { use_endpoint_name: true, include_uid: true }, '"meter \\"7\\""'],
    ['a device that left, object', gone, { deregistrations_as_object: true }, `{"ep":"${ep}"}`],
    [
      'a device that left, object with options',
      gone,
      { deregistrations_as_object: true, include_uid: true, use_endpoint_name: true },
      `{"ep":"meter \\"7\\"",${uid}}`,
    ],
    ['an answer', response, { use_endpoint_name: true }, '{"id":"read-1","status":200,"payload":""}'],
    [
      'an answer with options',
      response,
      { include_uid: true, include_timestamp: true, include_original_ep: true },
      `{"id":"read-1","status":200,"payload":"",${uid},"timestamp":${at}}`,
    ],
  ])('%s', (_, of, options, expected) => {
    expect(rendered(of, options)).toBe(expected);
  });

  it('every combination of options is JSON', () => {
    for (let code = 0; code < 32; code++)
      for (const each of [value, gone, response])
        expect(() => void JSON.parse(render(each, at, code).toString())).not.toThrow();
  });
});

describe('a NotificationMessage', () => {
  it('one category, events joined', () => {
    const message = new NotificationMessage('de-registrations', [
      Buffer.from('"a","b"'),
      Buffer.from('"c"'),
    ]).toBuffer();
    expect(message.toString()).toBe('{"de-registrations":["a","b","c"]}');
  });

  it('its excerpt has all of a small one, and the beginning of a large one', () => {
    const message = new NotificationMessage('de-registrations', [Buffer.from('"a","b"'), Buffer.from('"c"')]);
    expect(message.excerpt(message.bytes)).toBe('{"de-registrations":["a","b","c"]}');
    expect(message.excerpt(3)).toBe('{"de-registrations":["a"…');
  });

  it('its excerpt ends with no part of a character', () => {
    const message = new NotificationMessage('de-registrations', [Buffer.from('"aé"')]);
    expect(message.excerpt(3)).toBe('{"de-registrations":["a…');
    expect(message.excerpt(4)).toBe('{"de-registrations":["aé…');
  });
});
