import { describe, expect, it } from '@jest/globals';
import type { DeviceCommandFinished } from '@lanyard/contracts';
import { eventOfResult } from './result-event.js';

const id = '0178a2c0d1e400000000000000000001';

/** What a device answered to a read. */
const answered = (path: string, text: string, ct: string): DeviceCommandFinished => ({
  item: { id, status: 200, payload: Buffer.from(text).toString('base64'), ct },
  ...{ commandId: id, campaignId: id, deviceId: id, accountId: id, keyId: id, asyncId: id },
  ...{ kind: 'campaign', method: 'GET', path, outcome: 'succeeded' },
  ...{ acceptedAt: '2024-05-05T05:05:05Z', finishedAt: '2024-05-05T05:05:06Z' },
});

describe('the version that a device reports', () => {
  it.each([
    ['2.1', '2.1'],
    ['2.1\0', '2.1'],
    ['2.1\0\0rest', '2.1'],
    ['', ''],
  ])('as text %j is %j', (text, version) => {
    const event = eventOfResult(answered('/3/0/3', text, 'text/plain'));
    expect(event).toMatchObject({ kind: 'answered', report: { version } });
  });

  it('has room in every message that repeats it, however long it is', () => {
    const event = eventOfResult(answered('/3/0/3', '\u0001'.repeat(1_048_576), 'text/plain'));
    expect(event).toMatchObject({ report: { version: '\u0001'.repeat(512) } });
  });

  it('as JSON has whole characters only', () => {
    const pack = '[{"n":"/9/0/0","vs":"router\\u0000"},{"n":"/9/0/1","vs":"2\\ud800"}]';
    const event = eventOfResult(answered('/9', pack, 'application/senml+json'));
    expect(event).toMatchObject({ report: { software: [{ name: 'router', version: '2\ufffd' }] } });
  });
});

it('the name of a package is read whole, whatever its 255 characters are', () => {
  const name = '\u{1F600}'.repeat(255);
  const event = eventOfResult(answered('/9', JSON.stringify([{ n: '/9/0/0', vs: name }]), 'application/senml+json'));
  expect(event).toMatchObject({ report: { software: [{ name }] } });
});

it.each([
  ['for which the queue of the device has no room', 429, 'QUEUE_IS_FULL'],
  ['whose connections end each time', 502, 'CONNECTION_FAILED'],
])('a command %s has no answer, and is no refusal', (_, status, error) => {
  const { item, ...result } = answered('/5/0', '', 'text/plain');
  const failed = { ...item, status, error };
  expect(eventOfResult({ ...result, item: failed, outcome: 'failed' })).toEqual({ kind: 'unanswered' });
});

it('a push that took too long is no missing answer', () => {
  const { item, ...result } = answered('/5/0/0', '', 'text/plain');
  const failed = { ...item, status: 504, error: 'PUSH_TIMEOUT' };
  expect(eventOfResult({ ...result, item: failed, outcome: 'failed' })).toEqual({
    kind: 'refused',
    error: 'PUSH_TIMEOUT',
  });
});
