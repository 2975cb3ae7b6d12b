import { expect, it } from '@jest/globals';
import { withAddress } from './local-host.js';

it.each([
  ['coap://localhost:5683', 'coap://192.0.2.1:5683'],
  // A host whose name is in the scheme, too.
  ['coap://coap:5683', 'coap://192.0.2.1:5683'],
  ['coaps://s:5684', 'coaps://192.0.2.1:5684'],
  ['coap://Lwm2m.Example', 'coap://192.0.2.1'],
])('%s has its address as %s', (url, expected) => expect(withAddress(url, '192.0.2.1')).toBe(expected));

it('an IPv6 address stands in brackets', () => {
  expect(withAddress('coap://localhost:5683', '::1')).toBe('coap://[::1]:5683');
});
