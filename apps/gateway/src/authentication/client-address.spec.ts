import { describe, expect, it } from '@jest/globals';
import type { Socket } from 'node:net';
import { clientAddress } from './client-address.js';

const from = (forwarded: string | undefined) => ({
  headers: { ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }) },
  socket: { remoteAddress: '10.0.0.1' } as Socket,
});

describe('the address of a client', () => {
  it.each([
    [0, '6.6.6.6', '10.0.0.1'],
    [1, '6.6.6.6, 1.2.3.4', '1.2.3.4'],
    [2, '6.6.6.6, 1.2.3.4, 10.9.9.9', '1.2.3.4'],
    [2, '1.2.3.4', '1.2.3.4'],
    [1, undefined, '10.0.0.1'],
    [1, '6.6.6.6, 1.2.3.4:50000', '1.2.3.4'],
    [1, '[2001:db8::1]:50000', '2001:db8::1'],
    [1, '[2001:db8::1]', '2001:db8::1'],
    [1, '2001:db8::1', '2001:db8::1'],
    [1, '::ffff:1.2.3.4', '::ffff:1.2.3.4'],
  ])('%i proxies, X-Forwarded-For %s: %s', (proxies, forwarded, expected) =>
    expect(clientAddress(from(forwarded), proxies)).toBe(expected),
  );
});
