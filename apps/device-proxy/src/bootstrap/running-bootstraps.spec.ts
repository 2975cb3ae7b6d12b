import { describe, expect, it } from '@jest/globals';
import { createLogger, Metrics, newId } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import { RetryLater } from '../transport/retry-later.js';
import { bootstrapMaxMs, bootstrapsMax, bootstrapsPerAccountMax } from './limits.js';
import { RunningBootstraps } from './running-bootstraps.js';

const open = () => {
  const clock = new TestClock();
  const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
  return { clock, running: new RunningBootstraps(clock, logger, new Metrics('test', 'test')) };
};

/** Runs until it is aborted. */
const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve()));

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('running bootstraps', () => {
  it('are bounded per account, and altogether', () => {
    const { running } = open();
    const fill = (accountId: string, count: number): void => {
      for (let n = 0; n < count; n++) running.run(accountId, newId(), untilAborted);
    };
    fill('first', bootstrapsPerAccountMax);
    expect(() => fill('first', 1)).toThrow(RetryLater);
    for (let n = 1; n < bootstrapsMax / bootstrapsPerAccountMax; n++) fill(`next-${n}`, bootstrapsPerAccountMax);
    expect(() => fill('last', 1)).toThrow(RetryLater);
  });

  it('make room when they end, also with an error', async () => {
    const { running } = open();
    for (let n = 0; n < bootstrapsPerAccountMax; n++)
      running.run('account', newId(), () => (n % 2 === 0 ? Promise.resolve() : Promise.reject(new Error('no'))));
    await settled();
    expect(() => running.run('account', newId(), untilAborted)).not.toThrow();
  });

  it('have a time limit', async () => {
    const { clock, running } = open();
    let reason: unknown;
    running.run('account', 'device', async (signal) => {
      await untilAborted(signal);
      reason = signal.reason;
    });
    await clock.advance(bootstrapMaxMs - 1);
    expect(reason).toBeUndefined();
    await clock.advance(1);
    expect(reason).toMatchObject({ failure: 'no-answer' });
  });

  it('of a device that asks again are aborted; the new one stays', async () => {
    const { running } = open();
    const reasons: unknown[] = [];
    const work = async (signal: AbortSignal): Promise<void> => {
      await untilAborted(signal);
      reasons.push((signal.reason as { failure: string }).failure);
    };
    running.run('account', 'device', work);
    running.run('account', 'device', work);
    await settled();
    expect(reasons).toEqual(['superseded']);
    await running.stop();
    expect(reasons).toEqual(['superseded', 'stopped']);
    expect(() => running.run('account', 'device', work)).toThrow(RetryLater);
  });
});
