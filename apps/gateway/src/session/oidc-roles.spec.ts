import { describe, expect, it } from '@jest/globals';
import { emailIn, nameIn, rolesIn } from './oidc-roles.js';

describe('claims of a person', () => {
  it.each([
    [{ groups: ['a', 'b'] }, 'groups', ['a', 'b']],
    [{ groups: 'a' }, 'groups', ['a']],
    [{ realm_access: { roles: ['a'] } }, 'realm_access.roles', ['a']],
    [{ 'https://x.example/roles': ['a'] }, 'https://x.example/roles', ['a']],
    [{ groups: ['a', 7, null, { a: 1 }] }, 'groups', ['a']],
    [{ groups: { a: true } }, 'groups', []],
    [{}, 'groups', []],
    [{}, 'constructor.name', []],
    [{ realm_access: null }, 'realm_access.roles', []],
  ])('%j has in %s the roles %j', (claims, name, roles) => expect(rolesIn(claims, name)).toEqual(roles));

  it('give a name, the best there is', () => {
    expect(nameIn({ sub: 's', email: 'e', preferred_username: 'p', name: ' N ' })).toBe('N');
    expect(nameIn({ sub: 's', email: 'e', name: '' })).toBe('e');
    expect(nameIn({ sub: 's', name: 7 })).toBe('s');
    expect(nameIn({ sub: 'x'.repeat(300) })).toHaveLength(100);
  });

  it('have no text that PostgreSQL does not store, also where they are cut', () => {
    expect(nameIn({ name: `${'x'.repeat(99)}\u{1f600}` })).toBe(`${'x'.repeat(99)}\ufffd`);
    expect(nameIn({ name: ['a\0\ud83d', '\u{1f600}'].join('') })).toBe('a\ufffd\ufffd\u{1f600}');
    expect(emailIn({ email: `${'x'.repeat(253)}\u{1f600}` })).toBe(`${'x'.repeat(253)}\ufffd`);
  });

  it('give an address unless it is known not to be verified', () => {
    expect(emailIn({ email: 'e@x', email_verified: true })).toBe('e@x');
    expect(emailIn({ email: 'e@x' })).toBe('e@x');
    expect(emailIn({ email: 'e@x', email_verified: false })).toBeNull();
    expect(emailIn({})).toBeNull();
  });
});
