import { describe, expect, it } from '@jest/globals';
import { allows, grantable, permissionsOf } from './permissions.js';

describe('permissions', () => {
  it('a key has what its groups give together', () => {
    expect(
      permissionsOf([
        { kind: 'custom', permissions: ['commands'] },
        { kind: 'developers', permissions: null },
      ]),
    ).toEqual(['commands', 'devices', 'notifications']);
    expect(permissionsOf([{ kind: 'custom', permissions: [] }])).toEqual([]);
  });

  it('devices includes its parts, neither administration nor the channel; a part includes nothing else', () => {
    expect(grantable.filter((needed) => allows(['devices'], needed))).toEqual(
      grantable.filter((name) => name !== 'admin' && name !== 'notifications'),
    );
    for (const held of grantable.filter((name) => name !== 'devices'))
      expect(grantable.filter((needed) => allows([held], needed))).toEqual([held]);
  });
});
