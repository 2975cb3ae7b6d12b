import { describe, expect, it } from '@jest/globals';
import { foldDesired, foldReported } from './fold.js';
import { type DesiredValue, desiredStatus, type ReportedValue } from './values.js';

const reported = (path: string, epoch: number, sequence: number): ReportedValue => ({
  deviceId: 'd',
  path,
  value: Buffer.from(`${epoch}.${sequence}`),
  contentType: 'text/plain',
  reportedAt: '2024-01-01T00:00:00Z',
  expiresAt: '2024-01-01T00:01:00Z',
  epoch,
  sequence,
});

const desired = (commandId: string, desiredAt: string, status: DesiredValue['status']): DesiredValue => ({
  deviceId: 'd',
  path: '/3/0/1',
  value: Buffer.from(commandId),
  contentType: 'text/plain',
  commandId,
  status,
  desiredAt,
  statusUpdatedAt: desiredAt,
});

const [early, late] = ['2024-01-01T00:00:00Z', '2024-01-01T00:00:05Z'];

describe('folding a batch', () => {
  it('keeps the newest value of each resource, whatever the order', () => {
    const values = [
      reported('/3/0/9', 1, 7),
      reported('/3/0/1', 2, 0),
      reported('/3/0/9', 1, 9),
      reported('/3/0/9', 1, 8),
      reported('/3/0/1', 1, 99),
    ];
    for (const order of [values, values.toReversed()])
      expect(foldReported(order).map((v) => [v.path, String(v.value)])).toEqual([
        ['/3/0/1', '2.0'],
        ['/3/0/9', '1.9'],
      ]);
  });

  it.each([
    [
      'the end of a command over its beginning',
      desired('a', early, desiredStatus.success),
      desired('a', early, desiredStatus.pending),
    ],
    [
      'a later command over an earlier one',
      desired('b', late, desiredStatus.pending),
      desired('a', early, desiredStatus.success),
    ],
    [
      'one of two commands of the same instant',
      desired('b', early, desiredStatus.pending),
      desired('a', early, desiredStatus.failure),
    ],
  ])('keeps %s', (_, winner, loser) => {
    expect(foldDesired([winner, loser])).toEqual([winner]);
    expect(foldDesired([loser, winner])).toEqual([winner]);
  });

  it('an end that is told twice stays the first one', () => {
    const first = desired('a', early, desiredStatus.success);
    expect(foldDesired([first, desired('a', early, desiredStatus.failure)])).toEqual([first]);
  });
});
