import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import { ArrivalTimes } from './arrival-times.js';

const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });

describe('the earliest time at which a message came to Kafka', () => {
  let high = 10n;
  const kafka = { offsets: async () => new Map([[0, { low: 0n, high }]]) };
  const clock = new TestClock(100_000);
  const arrivalTimes = new ArrivalTimes(kafka, ['t'], clock, logger);
  const earliest = (...offsets: bigint[]): number[] => offsets.map((offset) => arrivalTimes.earliestMs('t', 0, offset));

  const moved = async (to: bigint): Promise<void> => {
    high = to;
    await clock.advance(5_000);
  };

  it('is when the partition was last seen to end before it', async () => {
    await arrivalTimes.onModuleInit();
    expect(earliest(9n, 10n)).toEqual([-Infinity, 100_000]);
    await moved(10n);
    expect(earliest(10n)).toEqual([105_000]);
    await moved(20n);
    expect(earliest(10n, 19n, 20n)).toEqual([105_000, 105_000, 110_000]);
  });

  it('is not known of a partition that was not seen yet', () => {
    expect(arrivalTimes.earliestMs('t', 7, 1n)).toBe(-Infinity);
  });

  it('is forgotten when the topic begins again', async () => {
    await moved(2n);
    expect(earliest(1n, 15n)).toEqual([-Infinity, 115_000]);
    arrivalTimes.onApplicationShutdown();
  });
});
