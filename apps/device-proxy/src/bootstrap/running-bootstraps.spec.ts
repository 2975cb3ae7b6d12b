import { describe, expect, it } from '@jest/globals';
import { createLogger, Metrics, newId } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import { RetryLater } from '../transport/retry-later.js';
import type { BootstrapKey } from './bootstrap-facts.js';
import { bootstrapMaxMs, bootstrapsMax, bootstrapsPerAccountMax } from './limits.js';
import { RunningBootstraps } from './running-bootstraps.js';

const open = () => {
  const clock = new TestClock();
  const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
  return { clock, running: new RunningBootstraps(clock, logger, new Metrics('test', 'test')) };
};

const of = (accountId: string, deviceId = newId()): BootstrapKey => ({ bootstrapId: newId(), accountId, deviceId });

/** Runs until it is aborted. */
const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve()));

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('running bootstraps', () => {
  it('are bounded per account, and altogether', () => {
    const { running } = open();
    const fill = (accountId: string, count: number): void => {
      for (let n = 0; n < count; n++) running.run(of(accountId), untilAborted);
    };
    fill('first', bootstrapsPerAccountMax);
    expect(() => fill('first', 1)).toThrow(RetryLater);
    for (let n = 1; n < bootstrapsMax / bootstrapsPerAccountMax; n++) fill(`next-${n}`, bootstrapsPerAccountMax);
    expect(() => fill('last', 1)).toThrow(RetryLater);
  });

  it('make room when they end, also with an error', async () => {
    const { running } = open();
    for (let n = 0; n < bootstrapsPerAccountMax; n++)
      running.run(of('account'), () => (n % 2 === 0 ? Promise.resolve() : Promise.reject(new Error('no'))));
    await settled();
    expect(() => running.run(of('account'), untilAborted)).not.toThrow();
  });

  it('have a time limit', async () => {
    const { clock, running } = open();
    let reason: unknown;
    running.run(of('account'), async (signal) => {
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
    running.run(of('account', 'device'), work);
    running.run(of('account', 'device'), work);
    await settled();
    expect(reasons).toEqual(['superseded']);
    await running.stop();
    expect(reasons).toEqual(['superseded', 'stopped']);
    expect(() => running.run(of('account', 'device'), work)).toThrow(RetryLater);
  });

  it('are aborted by device, by bootstrap and by account, and no others are', async () => {
    const { running } = open();
    const aborted: string[] = [];
    const start = (accountId: string, deviceId: string): BootstrapKey => {
      const key = of(accountId, deviceId);
      running.run(key, async (signal) => {
        await untilAborted(signal);
        aborted.push(deviceId);
      });
      return key;
    };
    for (const name of ['a', 'b', 'c']) start('account', name);
    const { bootstrapId } = start('other', 'd');
    running.abortDevice('a', 'suspended');
    running.abortDevice('d', 'its previous bootstrap has ended', newId());
    await settled();
    expect(aborted).toEqual(['a']);
    running.abortAccount('account', 'suspended');
    await settled();
    expect(aborted).toEqual(['a', 'b', 'c']);
    running.abortDevice('d', 'withdrawn', bootstrapId);
    await settled();
    expect(aborted).toEqual(['a', 'b', 'c', 'd']);
  });
});
