import { expect, it } from '@jest/globals';
import { isLocalTime, localTime, utcTime } from './local-time.ts';

it.each(['2030-01-02T03:04:00.000Z', '2030-07-02T23:59:00.000Z'])('shows and returns the same time: %s', (time) => {
  expect(localTime(time)).toMatch(/^2030-\d\d-\d\dT\d\d:\d\d$/);
  expect(utcTime(localTime(time))).toBe(time);
});

it('is nothing for no time', () => {
  expect(localTime(null)).toBe('');
  expect(localTime(undefined)).toBe('');
  expect(utcTime('')).toBeNull();
});

it.each([
  ['', true],
  ['2030-01-02T03:04', true],
  ['20300-01-02T03:04', false],
  ['203000-01-02T03:04', false],
])('refuses a year that cannot be read, before it is sent: "%s"', (local, isRead) => {
  expect(isLocalTime(local)).toBe(isRead);
  if (isRead) expect(() => utcTime(local)).not.toThrow();
});
