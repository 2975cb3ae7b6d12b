import { describe, expect, it } from '@jest/globals';
import { isInNetworks, isNetwork, networkList } from './networks.js';

describe('networks that a key may be used from', () => {
  it.each([
    ['192.0.2.7', true],
    ['192.0.2.0/24', true],
    ['0.0.0.0/0', true],
    ['2001:db8::/32', true],
    ['::1', true],
    ['192.0.2.0/33', false],
    ['192.0.2.0/08', false],
    ['192.0.2.0/', false],
    ['192.0.2.0/24/8', false],
    ['192.0.2', false],
    ['fe80::1%eth0', false],
    ['2001:db8::/129', false],
    ['example.com', false],
    ['', false],
  ])('%s is one: %s', (text, expected) => expect(isNetwork(text)).toBe(expected));

  it.each([
    [['192.0.2.0/24'], '192.0.2.255', true],
    [['192.0.2.0/24'], '192.0.3.0', false],
    [['192.0.2.0/24'], '::ffff:192.0.2.1', true],
    [['192.0.2.7'], '192.0.2.7', true],
    [['192.0.2.7'], '192.0.2.8', false],
    [['2001:db8::/32'], '2001:db8:1::1', true],
    [['2001:db8::/32'], '2001:db9::1', false],
    [['10.0.0.0/8', '2001:db8::1'], '2001:0db8:0:0::1', true],
    [['0.0.0.0/0'], '2001:db8::1', false],
    [['192.0.2.0/24'], 'unknown', false],
    [[], '192.0.2.1', false],
  ])('%j and %s: %s', (networks, address, expected) => expect(isInNetworks(networks, address)).toBe(expected));

  it('a list of denied networks does not leave out a text that is none', () => {
    expect(networkList(['10.0.0.0/8']).check('10.1.2.3')).toBe(true);
    expect(() => networkList(['10.0.0.0/8', '10.0.0.0/33'])).toThrow('10.0.0.0/33');
    expect(isInNetworks(['10.0.0.0/33'], '10.0.0.1')).toBe(false);
  });
});
