import { newId } from '@lanyard/service';
import { eventually, type Thermometer } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningProxy } from './running-proxy.js';
import { Harness } from './harness.js';

describe('first contacts and the quota of an account', () => {
  let harness: Harness;
  let proxy: RunningProxy;

  beforeAll(async () => {
    harness = await Harness.create('quota', { autoCreateDevices: false });
    proxy = await harness.proxy('dp-0');
  });
  afterAll(() => harness.close());

  /** On a busy machine a device may have to ask more than once. */
  const outcomeOf = (thing: Thermometer): Promise<'registered' | 'refused'> =>
    eventually(
      async () => {
        try {
          await thing.device.register();
          return 'registered';
        } catch (error) {
          if (String(error).includes('4.03')) return 'refused';
          throw error;
        }
      },
      { timeoutMs: 40_000 },
    );
  const becomes = (thing: Thermometer, wanted: 'registered' | 'refused'): Promise<void> =>
    eventually(async () => expect(await outcomeOf(thing)).toBe(wanted), { timeoutMs: 60_000 });

  it('devices of the directory count, and those it does not know yet; who has been met may come again', async () => {
    await harness.lifecycle(newId(), 'of-the-directory', 'created');
    const known = harness.thing(proxy, 'of-the-directory');
    await becomes(known, 'registered');
    await harness.account(true, 4);
    const first = harness.thing(proxy, 'first');
    await becomes(first, 'registered');
    const deviceId = await harness.register(first);

    // The registry is away: those who are met hear 5.03, and who has no room is refused at once.
    harness.registryRuns = false;
    // All at once: two of them have room.
    const burst = Array.from({ length: 6 }, (_, n) => harness.thing(proxy, `burst-${n}`));
    const outcomes = await Promise.all(
      burst.map(({ device }) => device.register().then(String, (error: unknown) => String(error))),
    );
    const refused = burst.filter((_, n) => outcomes[n]?.includes('4.03'));
    expect(refused).toHaveLength(4);
    expect(outcomes.filter((one) => one.includes('5.03'))).toHaveLength(2);
    harness.registryRuns = true;
    expect(await harness.register(first)).toBe(deviceId);

    // Each of those met counts once, in the directory or on its way there.
    await harness.account(true, 5);
    const [next, last] = refused as [Thermometer, Thermometer];
    await becomes(next, 'registered');
    expect(await outcomeOf(last)).toBe('refused');
  }, 240_000);
});
