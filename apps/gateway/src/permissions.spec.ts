import { describe, expect, it } from '@jest/globals';
import { allows, grantable, type Granting, rightsOf } from './permissions.js';

const group = (granting: Partial<Granting>): Granting => ({
  kind: 'custom',
  permissions: null,
  deviceGroups: null,
  ...granting,
});

describe('permissions', () => {
  it('a key has what its groups give together', () => {
    expect(rightsOf([group({ permissions: ['commands'] }), group({ kind: 'developers' })], null).permissions).toEqual([
      'commands',
      'devices',
      'notifications',
    ]);
    expect(rightsOf([group({ permissions: [] })], null)).toEqual({ permissions: [], deviceGroups: undefined });
  });

  it('each limit applies to everything that a key has, and a limited key does not administer', () => {
    const administrators = group({ kind: 'administrators' });
    expect(
      rightsOf([administrators, group({ permissions: ['commands'], deviceGroups: ['a', 'b'] })], ['b', 'c']),
    ).toEqual({
      permissions: ['devices', 'notifications', 'commands'],
      deviceGroups: ['b'],
    });
    expect(rightsOf([administrators, group({ deviceGroups: ['a'] }), group({ deviceGroups: ['b'] })], null)).toEqual({
      permissions: ['devices', 'notifications'],
      deviceGroups: [],
    });
    expect(rightsOf([administrators], null).permissions).toContain('admin');
  });

  it('devices includes its parts, neither administration nor the channel; a part includes nothing else', () => {
    expect(grantable.filter((needed) => allows(['devices'], needed))).toEqual(
      grantable.filter((name) => name !== 'admin' && name !== 'notifications'),
    );
    for (const held of grantable.filter((name) => name !== 'devices'))
      expect(grantable.filter((needed) => allows([held], needed))).toEqual([held]);
  });
});
