import { expect, it } from '@jest/globals';
import { isWithin } from './window.js';

it.each([
  ['22:00', '04:00', '23:00', true],
  ['22:00', '04:00', '00:00', true],
  ['22:00', '04:00', '03:59', true],
  ['22:00', '04:00', '04:00', false],
  ['22:00', '04:00', '12:00', false],
  ['09:00', '17:00', '09:00', true],
  ['09:00', '17:00', '16:59', true],
  ['09:00', '17:00', '17:00', false],
  ['09:00', '17:00', '08:59', false],
])('from %s to %s, %s: %s', (from, to, time, expected) => {
  expect(isWithin({ from, to }, Date.parse(`2024-01-01T${time}:30Z`))).toBe(expected);
});

it('without a window, any time is right', () => {
  expect(isWithin(null, 0)).toBe(true);
});
