import { describe, expect, it } from '@jest/globals';
import { foldDesired, foldReported } from './fold.js';
import { type DesiredValue, desiredStatus, type ReportedValue } from './values.js';

const reported = (path: string, epoch: number, sequence: number): ReportedValue => ({
  accountId: 'a',
  deviceId: 'd',
  path,
  value: Buffer.from(`${epoch}.${sequence}`),
  contentType: 'text/plain',
  reportedAt: '2024-01-01T00:00:00Z',
  isMeasured: false,
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

const permutations = <T>(all: readonly T[]): T[][] =>
  all.length < 2
    ? [[...all]]
    : all.flatMap((one, n) => permutations(all.toSpliced(n, 1)).map((others) => [one, ...others]));

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

  const dated = (second: number, epoch: number, sequence: number): ReportedValue => ({
    ...reported('/3303/0/5700', epoch, sequence),
    reportedAt: `2024-01-01T00:00:${String(second).padStart(2, '0')}Z`,
    isMeasured: true,
  });

  it('keeps the value that was measured last, whatever arrived last', () => {
    const [newest, older] = [dated(20, 1, 1), dated(10, 1, 2)];
    const undated = { ...reported('/3303/0/5700', 2, 1), reportedAt: '2024-01-01T00:00:15.5Z' };
    for (const order of permutations([newest, older, undated])) expect(foldReported(order)).toEqual([newest]);
    expect(foldReported([undated, older])).toEqual([undated]);
    expect(foldReported([dated(10, 1, 2), dated(10, 1, 3)])).toEqual([dated(10, 1, 3)]);
  });

  it('orders values without a time by their arrival, though the clocks of replicas differ', () => {
    const ahead = { ...reported('/3/0/9', 1, 9), reportedAt: '2024-01-01T00:05:00Z' };
    const behind = reported('/3/0/9', 2, 1);
    for (const order of permutations([ahead, behind])) expect(foldReported(order)).toEqual([behind]);
  });

  it('compares times with different decimals as times', () => {
    const [whole, part] = [dated(10, 1, 2), { ...dated(10, 1, 1), reportedAt: '2024-01-01T00:00:10.000001Z' }];
    for (const order of permutations([whole, part])) expect(foldReported(order)).toEqual([part]);
  });

  it('keeps the same value for every order of arrival, in one batch or in several', () => {
    let state = 97;
    const below = (n: number): number => (state = (state * 48_271) % 2_147_483_647) % n;
    for (let round = 0; round < 200; round++) {
      // Values arrive in the order of the sequence; those with a time of the device were measured before they arrived.
      const values = Array.from({ length: 6 }, (_, n): ReportedValue => {
        const arrivalSecond = 10 + 2 * n;
        return below(2) === 0
          ? dated(below(arrivalSecond + 1), 1, n)
          : { ...dated(arrivalSecond, 1, n), isMeasured: false };
      });
      const [expected] = foldReported(values);
      for (const order of permutations(values.slice(0, 4))) {
        const cut = below(5);
        const inParts = [
          ...foldReported(order.slice(0, cut)),
          ...foldReported([...order.slice(cut), ...values.slice(4)]),
        ];
        expect(foldReported(inParts)).toEqual([expected]);
      }
      expect(values.every((value) => value.reportedAt <= (expected as ReportedValue).reportedAt)).toBe(true);
    }
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
