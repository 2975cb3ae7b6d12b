import { describe, expect, it } from '@jest/globals';
import { AddressGuard } from './address-guard.js';

describe('addresses for callbacks', () => {
  const guard = new AddressGuard();

  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.255',
    '169.254.169.254',
    '168.63.129.16',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '198.19.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::10.0.0.1',
    '::808:808',
    '::ffff:10.0.0.1',
    '::ffff:a9fe:a9fe',
    '::ffff:0:10.0.0.1',
    '::ffff:0:808:808',
    '64:ff9b::',
    '64:ff9b::10.0.0.1',
    '64:ff9b::a00:1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::808:808',
    '100:0:0:1::1',
    '2002:a00:1::',
    '3fff::1',
    'fd00::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
  ])('%s is denied', (address) => {
    expect(guard.allows(address)).toBe(false);
  });

  it.each([
    '1.1.1.1',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '::ffff:1.1.1.1',
    '64:ff9b::1.1.1.1',
    '64:ff9b:0::808:808',
  ])('%s is allowed', (address) => {
    expect(guard.allows(address)).toBe(true);
  });

  it('literal hosts are judged without a lookup, in any spelling', () => {
    const host = (url: string): string => new URL(url).hostname;
    for (const url of ['http://0x7f.1/', 'http://2130706433/', 'http://017700000001/', 'http://[::ffff:7f00:1]/'])
      expect(() => guard.checkHost(host(url))).toThrow('may not use');
    expect(() => guard.checkHost('example.com')).not.toThrow();
  });

  it('exceptions of the operator', () => {
    const own = new AddressGuard(['10.20.0.0/16', '::1/128', '::ffff:0:a00:0/112', '64:ff9b::a00:0/112']);
    expect(own.allows('64:ff9b::a00:1')).toBe(true);
    expect(own.allows('64:ff9b::a01:1')).toBe(false);
    expect(own.allows('64:ff9b::a14:304')).toBe(true);
    expect(own.allows('::ffff:0:a00:1')).toBe(true);
    expect(own.allows('::ffff:0:a01:1')).toBe(false);
    expect(own.allows('10.20.3.4')).toBe(true);
    expect(own.allows('10.21.3.4')).toBe(false);
    expect(own.allows('::1')).toBe(true);
  });

  it('a name is judged by what it resolves to', async () => {
    const resolve = (by: AddressGuard): Promise<unknown> =>
      new Promise((done) => by.lookup('localhost', { all: true }, (error, addresses) => done(error ?? addresses)));
    expect(await resolve(guard)).toMatchObject({ code: 'ADDRESS_FORBIDDEN' });
    expect(await resolve(new AddressGuard(['127.0.0.0/8', '::1/128']))).toEqual(
      expect.arrayContaining([expect.objectContaining({ address: expect.stringMatching(/^(127\.|::1)/) })]),
    );
  });
});
