import { createLogger, newId } from '@lanyard/service';
import { eventually, type Thermometer } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningProxy } from './running-proxy.js';
import { TestSystem } from './test-system.js';

describe('first contacts and the quota of an account', () => {
  let system: TestSystem;
  let proxy: RunningProxy;
  const logged: string[] = [];

  beforeAll(async () => {
    system = await TestSystem.create('quota', { autoCreateDevices: false });
    const destination = { write: (line: string) => void logged.push(line) };
    const logger = createLogger({ app: 'device-proxy', replicaId: 'dp-0', level: 'warn', destination });
    proxy = await system.proxy('dp-0', { logger });
  });
  afterAll(() => system.close());

  /** On a busy machine a device may have to ask more than once. */
  const outcomeOf = (thing: Thermometer): Promise<'registered' | 'refused'> =>
    eventually(async () => {
      try {
        await thing.device.register();
        return 'registered';
      } catch (error) {
        if (String(error).includes('4.03')) return 'refused';
        throw error;
      }
    });
  const becomes = (thing: Thermometer, wanted: 'registered' | 'refused'): Promise<void> =>
    eventually(async () => expect(await outcomeOf(thing)).toBe(wanted));

  it('devices of the directory count, and those it does not know yet; a known one may register again', async () => {
    await system.lifecycle(newId(), 'of-the-directory', 'created');
    const known = system.thing(proxy, 'of-the-directory');
    await becomes(known, 'registered');
    await system.account(true, 4);
    const first = system.thing(proxy, 'first');
    await becomes(first, 'registered');
    const deviceId = await system.register(first);

    // The registry is away: those who are met hear 5.03, and who has no room is refused at once.
    system.registryRuns = false;
    // All at once: two of them have room.
    const burst = Array.from({ length: 6 }, (_, n) => system.thing(proxy, `burst-${n}`));
    const outcomes = await Promise.all(
      burst.map(({ device }) => device.register().then(String, (error: unknown) => String(error))),
    );
    const refused = burst.filter((_, n) => outcomes[n]?.includes('4.03'));
    expect(refused).toHaveLength(4);
    // The log has the first of them.
    expect(logged.filter((line) => line.includes('no room for it'))).toHaveLength(1);
    expect(outcomes.filter((one) => one.includes('5.03'))).toHaveLength(2);
    system.registryRuns = true;
    expect(await system.register(first)).toBe(deviceId);

    // Each of those met counts once, in the directory or on its way there.
    await system.account(true, 5);
    const [next, last] = refused as [Thermometer, Thermometer];
    await becomes(next, 'registered');
    expect(await outcomeOf(last)).toBe('refused');
  });
});
