import { expect, it } from '@jest/globals';
import { lastOfDevices } from './last-of-devices.js';

it('the last fact of each device in a batch is the last one told of the highest number', () => {
  const facts = [
    { deviceId: 'b', epoch: 1, change: 'registered' },
    { deviceId: 'a', epoch: 2, change: 'registered' },
    { deviceId: 'b', epoch: 1, change: 'deregistered' },
    { deviceId: 'a', epoch: 1, change: 'expired' },
  ];
  expect(lastOfDevices(facts, ({ epoch }) => epoch)).toEqual([facts[1], facts[2]]);
});
