import { expect, it } from '@jest/globals';
import { whoOf } from './who.ts';

const nameOf = (id: string): string => `name of ${id}`;
const address = '192.0.2.1';

const entries: [what: string, code: string, data: Record<string, string>, who: string][] = [
  ['an action', 'SYS_510', { actor_key_id: 'a', target_id: 'b' }, 'name of a'],
  ['a sign-in', 'SYS_508', { actor_key_id: 'a', target_id: 'a', address }, 'name of a, 192.0.2.1'],
  ['a request that was denied', 'SYS_411', { target: 'api-key', target_id: 'a', address }, 'name of a, 192.0.2.1'],
  ['a request with a wrong secret of a key', 'SYS_410', { target: 'api-key', target_id: 'a', address }, address],
  ['a request without a key', 'SYS_410', { address }, address],
];

it.each(entries)('says who it was: %s', (_, code, data, who) => {
  expect(whoOf(nameOf, { event_code: code, data })).toBe(who);
});
