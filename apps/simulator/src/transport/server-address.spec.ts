import { getDefaultResultOrder, setDefaultResultOrder } from 'node:dns';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { addressOf } from './server-address.js';

const order = getDefaultResultOrder();

beforeAll(() => setDefaultResultOrder('ipv6first'));
afterAll(() => setDefaultResultOrder(order));

it.each([
  ['localhost', '127.0.0.1'],
  ['127.0.0.1', '127.0.0.1'],
  ['::1', '::1'],
])('%s is the server at %s', async (host, address) => expect(await addressOf(host)).toBe(address));
