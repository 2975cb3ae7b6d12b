import { describe, expect, it } from '@jest/globals';
import { type BootstrapProfileChanged, BootstrapProfiles, fixtures } from '@lanyard/contracts';
import { chooseInstances, isPackFormat, isWritable, securityValues } from './account-instances.js';

describe('the instances that an account is written to', () => {
  const bootstrap = { object: 0, instance: 0 };
  const security = (instance: number, shortServerId: number) => ({ object: 0, instance, shortServerId });
  const server = (instance: number, shortServerId?: number) => ({
    object: 1,
    instance,
    ...(shortServerId !== undefined && { shortServerId }),
  });
  const both = ['/0', '/1'];

  it.each([
    ['a new device', [bootstrap], both, { security: 1, server: 0 }],
    ['a device without any', [], both, { security: 0, server: 0 }],
    ['the bootstrap account is not instance 0', [{ object: 0, instance: 3 }], both, { security: 0, server: 0 }],
    ['what is deleted is free', [bootstrap, security(1, 7), server(0, 7)], both, { security: 1, server: 0 }],
    ['the same', [bootstrap, security(2, 123), server(5, 123)], ['/'], { security: 1, server: 0 }],
    ['of another server', [bootstrap, security(1, 7), server(0, 7)], [], { security: 2, server: 1 }],
    ['of this server', [bootstrap, security(4, 123), server(2, 123)], [], { security: 4, server: 2 }],
    ['one is deleted', [bootstrap, security(1, 7), security(2, 8)], ['/0/1'], { security: 1, server: 0 }],
    ['server instances without an id', [bootstrap, server(0), server(2)], [], { security: 1, server: 1 }],
  ])('%s', (_what, instances, deletePaths, chosen) => {
    expect(chooseInstances(instances, { shortServerId: 123, deletePaths })).toEqual(chosen);
  });
});

describe('the Security instance', () => {
  const profiles = fixtures(BootstrapProfiles).valid as Record<string, BootstrapProfileChanged>;
  const empty = Buffer.alloc(0);
  const [identity, server, secret] = [Buffer.from('identity'), Buffer.from('server'), Buffer.from('secret')];
  const withKeys = (serverPublicKey: Buffer) => ({ publicKeyOrIdentity: identity, serverPublicKey, secretKey: secret });

  it.each([
    ['of the account', withKeys(empty), [0, identity, empty, secret]],
    ['of a device, with raw public keys', withKeys(server), [1, identity, server, secret]],
    ['of a device, without security', undefined, [3, empty, empty, empty]],
  ])('has security mode and keys: %s', (name, credential, expected) => {
    const profile = profiles[name];
    if (!profile) throw new Error('no such fixture');
    const values = new Map(securityValues(profile, 4, credential).map(({ path, value }) => [path, value]));
    expect([2, 3, 4, 5].map((id) => values.get(`/0/4/${id}`))).toEqual(expected);
  });
});

describe('Content-Formats', () => {
  it('of instances are those that carry several values', () => {
    expect([0, 42, 60, 110, 112, 11_542, 1_542, 11_544, 65_000].filter(isWritable)).toEqual([
      110, 112, 11_542, 1_542, 11_544,
    ]);
  });

  it('of packs name every path', () => {
    expect([40, 110, 112, 11_542, 11_544].filter(isPackFormat)).toEqual([110, 112, 11_544]);
  });
});
