import { describe, expect, it } from '@jest/globals';
import { sourceOf } from './address.js';

describe('sourceOf', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:0:1:2:3:4:5', '2001:db8:0:1'],
    ['2001:db8:0:1::5', '2001:db8:0:1'],
    ['2001:db8::5', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['', ''],
  ])('of %p is %p', (address, source) => {
    expect(sourceOf(address)).toBe(source);
  });
});
