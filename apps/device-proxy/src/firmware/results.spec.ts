import { describe, expect, it } from '@jest/globals';
import { firmwareResults } from '@lanyard/lwm2m';
import { eventOf, mayContainFirmwareStatus, nameFor } from './results.js';

describe('eventOf', () => {
  it('results of object 5 in the codes of spec §6.2', () => {
    const codes = firmwareResults.map((_, result) => eventOf('firmware-update', result)?.eventCode);
    expect(codes).toEqual([
      undefined,
      'UPD2_OK_18',
      'UPD4_FAIL_33',
      'UPD4_FAIL_34',
      'UPD4_FAIL_24',
      'UPD4_FAIL_26',
      'UPD4_FAIL_25',
      'UPD4_FAIL_41',
      'UPD4_FAIL_40',
      'UPD4_FAIL_41',
      'UPD4_FAIL_41',
      undefined,
    ]);
    expect(eventOf('firmware-update', 99)).toBeUndefined();
  });

  it.each([
    [18, 'UPD2_OK_18'],
    [21, 'UPD4_FAIL_21'],
    [49, 'UPD4_FAIL_49'],
    [-26, 'UPD4_FAIL_26'],
    [0, undefined],
    [1, undefined],
    [17, undefined],
    [19, undefined],
    [20, undefined],
    [50, undefined],
  ])('result %i of the update client', (result, code) => {
    expect(eventOf('update-client', result)?.eventCode).toBe(code);
  });
});

it('only these objects are looked at', () => {
  expect(['/5', '/5/0', '/5/0/5', '/10252/0/3'].every(mayContainFirmwareStatus)).toBe(true);
  expect(['/3303/0/5700', '/50/0', '/5/1/5', '/102520/0'].some(mayContainFirmwareStatus)).toBe(false);
});

it('numbers in words', () => {
  expect([nameFor('firmware-update', 'state', 3), nameFor('update-client', 'state', 3)]).toEqual(['updating', '3']);
});
