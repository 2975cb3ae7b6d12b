import { describe, expect, it } from '@jest/globals';
import { type Operation, VersionDiffers } from '@lanyard/client/browser';
import { changing } from './changing.ts';

const record = {
  object: 'campaign',
  name: 'Winter',
  when: '2098-01-02T03:04:30.000000Z',
  group_id: null,
  window: { from: '22:00', to: '04:00' },
  groups: ['a', 'b'],
  etag: '2',
};

const refusal = new VersionDiffers('PUT /v3/update-campaigns/{id}', {
  status: 412,
  body: 'precondition_failed',
  requestId: undefined,
  retryAfterSeconds: undefined,
});

describe('a change that the service refuses because the record has another version', () => {
  const asked: unknown[] = [];

  const change = (body: object): Promise<unknown> => {
    asked.length = 0;
    const call = (operation: Operation, input: unknown): Promise<unknown> => {
      asked.push([operation, input]);
      return operation.startsWith('PUT ') ? Promise.reject(refusal) : Promise.resolve(record);
    };
    const input = { path: { id: 'c' }, header: { 'If-Match': '1' }, body };
    return changing(call, 'PUT /v3/update-campaigns/{id}', input);
  };

  it.each<[body: object]>([
    [{ name: 'Winter' }],
    [{ name: 'Winter', when: '2098-01-02T03:04:30.000Z', group_id: null }],
    [{ window: { from: '22:00', to: '04:00' }, name: undefined }],
    [{ groups: ['b', 'a'] }],
  ])('was made if the record has what it sets: the answer to its first attempt was lost: %j', async (body) => {
    expect(await change(body)).toBe(record);
    expect(asked.at(-1)).toEqual(['GET /v3/update-campaigns/{id}', { path: { id: 'c' } }]);
  });

  it.each<[body: object]>([
    [{ name: 'Summer' }],
    [{ name: 'Winter', when: '2098-01-02T03:05:30.000Z' }],
    [{ group_id: 'g' }],
    [{ window: null }],
    [{ window: { from: '22:00', to: '05:30' } }],
    [{ groups: ['a'] }],
    // Not in the record, so that it cannot be compared.
    [{ name: 'Winter', signature: 'c2lnbmF0dXJl' }],
  ])('fails if the record does not have what it sets: %j', async (body) => {
    await expect(change(body)).rejects.toBe(refusal);
  });
});
