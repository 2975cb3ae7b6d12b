import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, SecureDevice, withKey } from '@lanyard/testing';
import { keyHex, SecureTestSystem } from './secure-test-system.js';

describe.each(['TLS', 'DTLS'] as const)('a suspended account over %s', (over) => {
  let secured: SecureTestSystem;

  beforeAll(async () => {
    secured = await SecureTestSystem.create(`suspended-account-${over}`, over);
  });
  afterAll(async () => {
    await secured?.closeDevices();
    await secured?.close();
  });

  const account = (status: 'active' | 'suspended'): Promise<void> =>
    secured.system.account(false, undefined, { status });

  it('has no connected and no registered devices; they come back with it', async () => {
    const { system, proxy } = secured;
    const { deviceId, identity } = await secured.directory('tenant-1');
    const one = secured.device('tenant-1');
    await secured.connected(one, withKey(identity, keyHex));
    expect(await one.register()).toBe('2.01');
    const plain = new SecureDevice('tenant-2');
    secured.devices.push(plain);
    const ids = [deviceId, (await secured.directory('tenant-2')).deviceId];
    await plain.connect(proxy.tcpPort);
    await system.knows(proxy, 'tenant-2');
    expect(await plain.register()).toBe('2.01');
    await secured.directory('tenant-3');
    ids.push(await system.register(system.thing(proxy, 'tenant-3')));

    await account('suspended');
    await eventually(() => expect([one.connected, plain.connected]).toEqual([false, false]));
    for (const id of ids)
      await system.fact(
        system.sessions,
        (v) => v.deviceId === id && v.change === 'deregistered' && v.reason === 'suspended',
      );
    const late = secured.device('tenant-1');
    await eventually(async () => {
      await secured.connect(late, withKey(identity, keyHex)).catch(() => undefined);
      await eventually(() => expect(late.connected).toBe(false), { timeoutMs: 5_000 });
    });

    await account('active');
    const again = secured.device('tenant-1');
    await eventually(async () => {
      await secured.connect(again, withKey(identity, keyHex));
      expect(await again.register()).toBe('2.01');
    });
  });
});
