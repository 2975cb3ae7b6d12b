import { describe, expect, it } from '@jest/globals';
import { localAddress } from './local-address.js';

describe('addresses', () => {
  it.each([
    ['127.0.0.1', 0, '127.16.0.0'],
    ['127.0.0.1', 99_999, '127.16.3.231'],
    ['192.0.2.1', 5, '0.0.0.0'],
    ['::1', 5, '::'],
  ])('to %s device %i talks from %s', (server, device, address) => {
    expect(localAddress(server, device, 'linux')).toBe(address);
  });

  it('where the loopback network has one address, any', () => {
    expect(localAddress('127.0.0.1', 7, 'darwin')).toBe('0.0.0.0');
  });
});
