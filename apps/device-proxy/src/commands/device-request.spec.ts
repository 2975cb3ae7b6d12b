import { describe, expect, it } from '@jest/globals';
import { readDeviceRequest, readWait } from './device-request.js';

const query = { 'async-id': 'a-1' };
const body = { method: 'GET', uri: '/3303/0/5700' };
const read = (q: object, b: unknown, queueMode = false) => readDeviceRequest(q, b, queueMode);

/** Write attributes of this length, with their path. */
const uriOf = (characters: number): string => '/3/0/15?'.padEnd(characters, 'x');

/** Observes this many paths together. */
const together = (paths: number): object => {
  const names = Array.from({ length: paths }, (_, n) => ({ n: `/3303/${n}` }));
  const payload = Buffer.from(JSON.stringify(names)).toString('base64');
  return { method: 'FETCH', uri: '/', observe: true, 'payload-b64': payload };
};

describe('a device request', () => {
  it('defaults to 2 hours and no retry, or 3 days and 2 retries for a device in queue mode', () => {
    expect(read(query, body)).toMatchObject({ retryMax: 0, expirySeconds: 7_200 });
    expect(read(query, body, true)).toMatchObject({ retryMax: 2, expirySeconds: 259_200 });
  });

  it.each([
    [{ ...query, 'expiry-seconds': '60' }, { ...body, expiry_seconds: 30 }, 60],
    [query, { ...body, expiry_seconds: 30 }, 30],
    [query, { ...body, 'expiry-seconds': 31 }, 31],
    [query, { ...body, expiry_seconds: '32' }, 32],
    [query, { ...body, expiry_seconds: 2_592_000 }, 2_592_000],
  ])('expires as the query says, or the body: %j %j', (q, b, seconds) => {
    expect(read(q, b).expirySeconds).toBe(seconds);
  });

  it.each([
    ['the longest async-id', { 'async-id': 'x'.repeat(40) }, body, { asyncId: 'x'.repeat(40) }],
    ['the shortest async-id', { 'async-id': '-' }, body, { asyncId: '-' }],
    ['no retry', { ...query, retry: '0' }, body, { retryMax: 0 }],
    ['the most retries', { ...query, retry: '10' }, body, { retryMax: 10 }],
    ['the shortest expiry', { ...query, 'expiry-seconds': '1' }, body, { expirySeconds: 1 }],
    ['the longest expiry', { ...query, 'expiry-seconds': '2592000' }, body, { expirySeconds: 2_592_000 }],
    ['the shortest expiry in the body', query, { ...body, expiry_seconds: 1 }, { expirySeconds: 1 }],
    ['the longest uri', query, { method: 'PUT', uri: uriOf(255) }, { path: '/3/0/15' }],
  ])('takes %s', (_, q, b, taken) => {
    expect(read(q, b)).toMatchObject(taken);
  });

  it('observes at most 100 paths together', () => {
    expect(read(query, together(100)).observe).toBe(true);
    expect(() => read(query, together(101))).toThrow(
      expect.objectContaining({ status: 400, token: 'BAD_REQUEST', message: 'payload-b64: More than 100 paths.' }),
    );
  });

  it('waits for the result for 1 to 60 seconds, or not at all', () => {
    expect([readWait({}), readWait({ wait: '1' }), readWait({ wait: '60' })]).toEqual([undefined, 1, 60]);
    for (const wait of ['0', '61', '1.5', '', 'soon'])
      expect(() => readWait({ wait })).toThrow(expect.objectContaining({ status: 400, token: 'BAD_REQUEST' }));
  });

  it('takes write attributes from the uri', () => {
    expect(read(query, { method: 'PUT', uri: '/3303/0/5700?pmin=10&gt=5;lt=1' })).toMatchObject({
      path: '/3303/0/5700',
      query: ['pmin=10', 'gt=5', 'lt=1'],
    });
  });

  it.each(['3303/0/5700', '/3303/0/5700/', '//3303//0/5700'])('takes the path %s', (uri) => {
    expect(read(query, { method: 'GET', uri }).path).toBe('/3303/0/5700');
  });

  it.each([
    ['NDI=', '42'],
    ['NDI', '42'],
    ['NDIx', '421'],
    ['Pz8/Pz8-', '?????>'],
    ['', ''],
  ])('decodes the payload %j', (base64, payload) => {
    expect(read(query, { ...body, method: 'PUT', 'payload-b64': base64 }).payload?.toString()).toBe(payload);
  });

  it.each(['N', 'NDIxM', 'N=', 'NDIxM=='])('refuses the payload %j, whose end is missing', (base64) => {
    const write = () => read(query, { ...body, method: 'PUT', 'payload-b64': base64 });
    expect(write).toThrow(expect.objectContaining({ status: 400, token: 'BAD_REQUEST' }));
  });

  it.each([
    [{}, body, 'MALFORMED_ASYNC_ID'],
    [{ 'async-id': 'x'.repeat(41) }, body, 'MALFORMED_ASYNC_ID'],
    [{ 'async-id': 'a b' }, body, 'MALFORMED_ASYNC_ID'],
    [{ ...query, retry: '11' }, body, 'BAD_REQUEST'],
    [{ ...query, retry: 'x' }, body, 'BAD_REQUEST'],
    [{ ...query, retry: ['1', '2'] }, body, 'BAD_REQUEST'],
    [{ ...query, 'expiry-seconds': ['60', '61'] }, body, 'BAD_REQUEST'],
    [query, { ...body, accept: '65536' }, 'BAD_REQUEST'],
    [{ ...query, 'expiry-seconds': '0' }, body, 'BAD_REQUEST'],
    [{ ...query, 'expiry-seconds': '2592001' }, body, 'BAD_REQUEST'],
    [query, { ...body, expiry_seconds: 0 }, 'BAD_REQUEST'],
    [query, { ...body, expiry_seconds: '2592001' }, 'BAD_REQUEST'],
    [query, { ...body, expiry_seconds: 'soon' }, 'MALFORMED_JSON_CONTENT'],
    [query, { ...body, expiry_seconds: true }, 'MALFORMED_JSON_CONTENT'],
    [query, { ...body, expiry_seconds: [60] }, 'MALFORMED_JSON_CONTENT'],
    [query, { ...body, expiry_seconds: 1.5 }, 'MALFORMED_JSON_CONTENT'],
    [query, undefined, 'MALFORMED_JSON_CONTENT'],
    [query, [], 'MALFORMED_JSON_CONTENT'],
    [query, { ...body, uri: 7 }, 'MALFORMED_JSON_CONTENT'],
    [query, null, 'MALFORMED_JSON_CONTENT'],
    [query, { ...body, uri: null }, 'MALFORMED_JSON_CONTENT'],
    [query, { ...body, accept: null }, 'MALFORMED_JSON_CONTENT'],
    [query, { ...body, 'content-type': null }, 'MALFORMED_JSON_CONTENT'],
    [query, { ...body, 'payload-b64': null }, 'MALFORMED_JSON_CONTENT'],
    [query, { ...body, expiry_seconds: null }, 'MALFORMED_JSON_CONTENT'],
    [query, { ...body, uri: '' }, 'BAD_REQUEST'],
    [query, { method: 'PUT', uri: uriOf(256) }, 'BAD_REQUEST'],
    [{ ...query, retry: '' }, body, 'BAD_REQUEST'],
    [{ ...query, retry: '-1' }, body, 'BAD_REQUEST'],
    [{ ...query, 'expiry-seconds': '1.5' }, body, 'BAD_REQUEST'],
    [{ 'async-id': '' }, body, 'MALFORMED_ASYNC_ID'],
    [query, { ...body, colour: 'red' }, 'MALFORMED_JSON_CONTENT'],
    [query, { uri: body.uri }, 'MALFORMED_JSON_CONTENT'],
    [query, { ...body, method: null }, 'MALFORMED_JSON_CONTENT'],
    [query, { ...body, method: 7 }, 'MALFORMED_JSON_CONTENT'],
    [query, { method: 'PATCH', uri: '/1' }, 'BAD_REQUEST'],
    [query, { ...body, 'payload-b64': '###' }, 'BAD_REQUEST'],
    [query, { method: 'GET', uri: '/' }, 'RESOURCE_NOT_FOUND'],
    [query, { method: 'GET', uri: '/a/b' }, 'RESOURCE_NOT_FOUND'],
    [query, { method: 'GET', uri: '/3303/0/70000' }, 'RESOURCE_NOT_FOUND'],
    [query, { method: 'GET', uri: '/3303/65535/5700' }, 'RESOURCE_NOT_FOUND'],
    [query, { method: 'GET', uri: '/1/2/3/4/5' }, 'RESOURCE_NOT_FOUND'],
  ])('%j %j: 400 %s', (q, b, token) => {
    expect(() => read(q, b)).toThrow(expect.objectContaining({ status: 400, token }));
  });
});
