import { expect, it } from '@jest/globals';
import { isAudited, whoOf } from './who.ts';

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

it('audits what people and programs changed, and what was refused to them', () => {
  const codes = ['SYS_106', 'SYS_200', 'SYS_203', 'SYS_300', 'SYS_411', 'SYS_500', 'SYS_598', 'UPD4_FAIL_41'];
  expect(codes.filter(isAudited)).toEqual(['SYS_200', 'SYS_203', 'SYS_411', 'SYS_500', 'SYS_598']);
});
