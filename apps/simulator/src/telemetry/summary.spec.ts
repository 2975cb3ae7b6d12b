import { describe, expect, it } from '@jest/globals';
import { Tally } from '../counts/tally.js';
import { type Group } from '../device/simulation-context.js';
import { readGroup } from '../settings/group.js';
import { environmentReader } from '../settings/reader.js';
import { summarize } from './summary.js';

describe('the summary of a run', () => {
  const groupWith = (variables: Record<string, string> = {}) => {
    const tally = new Tally();
    const reader = environmentReader({ SIMULATOR_DEVICES: '3', ...variables });
    const group = { settings: readGroup(reader, 'meters'), tally } as Group;
    return { tally, summed: { group, arrived: 3, registered: 3 } };
  };

  it('says what each group did, how long it took, and that nothing was lost', () => {
    const { tally, summed } = groupWith();
    for (let n = 0; n < 3; n++) tally.count('registered');
    tally.recordLatency('registration', 100);
    const { text, isGood } = summarize([summed]);
    expect(isGood).toBe(true);
    expect(text).toContain('meters: 3/3 registered; registered 3\n  registration p50 108 ms, p99 108 ms');
    expect(text).toContain('nothing was lost');
  });

  it('compares with the number of devices that were asked for', () => {
    const { summed } = groupWith({ SIMULATOR_DEVICES: '100' });
    const { text, isGood } = summarize([{ ...summed, arrived: 10, registered: 10 }]);
    expect(text).toContain('meters: 10/100 registered (90 never started);');
    expect(isGood).toBe(true);
  });

  it.each([
    ['value-lost', '1 value not acknowledged'],
    ['value-dropped', '1 value dropped by devices'],
    ['firmware-failed', '1 firmware update failed'],
    ['software-failed', '1 software installation failed'],
  ] as const)('is bad after %s', (event, problem) => {
    const { tally, summed } = groupWith();
    tally.count(event);
    const { text, isGood } = summarize([summed]);
    expect([isGood, text.includes(`LOST: ${problem}`), text.includes('something was lost')]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('is bad when the last send of a device was refused, also after others were accepted', () => {
    const { tally, summed } = groupWith();
    tally.count('send-accepted');
    tally.count('send-refused');
    expect(summarize([summed]).isGood).toBe(true);
    tally.refusing = 1;
    expect(summarize([summed]).text).toContain('LOST: 1 device whose last send was refused');
  });

  it('is bad when devices have no registration, unless they were to disappear', () => {
    const { summed } = groupWith();
    expect(summarize([{ ...summed, registered: 1 }]).text).toContain('2 devices without a registration at the end');
    const gone = groupWith({ SIMULATOR_FIRMWARE_FAILURE: 'never-answers' });
    gone.tally.count('firmware-failed');
    expect(summarize([{ ...gone.summed, registered: 1 }]).isGood).toBe(true);
  });
});
