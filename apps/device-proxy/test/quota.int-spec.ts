import { newId } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningProxy } from '../src/start.js';
import { Harness } from './harness.js';

describe('first contacts and the quota of an account', () => {
  let harness: Harness;
  let proxy: RunningProxy;

  beforeAll(async () => {
    harness = await Harness.create('quota', { autoCreateDevices: false });
    proxy = await harness.proxy('dp-0');
  });
  afterAll(() => harness.close());

  it('devices of the directory count, and those it does not know yet; who has been met may come again', async () => {
    await harness.lifecycle(newId(), 'of-the-directory', 'created');
    const known = harness.thing(proxy, 'of-the-directory');
    await eventually(() => known.device.register());
    await harness.account(true, 4);
    const first = harness.thing(proxy, 'first');
    const deviceId = await eventually(() => harness.register(first));

    // All at once: two of them have room.
    const burst = Array.from({ length: 6 }, (_, n) => harness.thing(proxy, `burst-${n}`));
    const outcomes = await Promise.allSettled(burst.map((thing) => thing.device.register()));
    const refused = outcomes.filter((one) => one.status === 'rejected').map(({ reason }) => String(reason));
    expect(refused).toEqual(Array.from({ length: 4 }, () => expect.stringContaining('4.03')));
    expect(await harness.register(first)).toBe(deviceId);

    // One of those met is in the directory by now, and counts once.
    await harness.lifecycle(deviceId, 'first', 'created');
    await harness.account(true, 5);
    const later = burst.filter((_, n) => outcomes[n]?.status === 'rejected');
    await eventually(() => (later[0] as (typeof later)[0]).device.register());
    await expect((later[1] as (typeof later)[0]).device.register()).rejects.toThrow('4.03');
  });
});
