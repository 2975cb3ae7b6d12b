import { describe, expect, it } from '@jest/globals';
import { chooseInstances, isPackFormat, isWritable } from './account-instances.js';

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
