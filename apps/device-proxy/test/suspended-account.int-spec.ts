import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, withKey } from '@lanyard/testing';
import { keyHex, patient, SecureTestSystem } from './secure-test-system.js';

describe('a suspended account', () => {
  let secured: SecureTestSystem;

  beforeAll(async () => {
    secured = await SecureTestSystem.create('suspended-account');
  }, 180_000);
  afterAll(async () => {
    await secured?.closeDevices();
    await secured?.close();
  });

  const account = (status: 'active' | 'suspended'): Promise<void> =>
    secured.system.account(false, undefined, { status });

  it('has no connected and no registered devices; they come back with it', async () => {
    const { system, proxy } = secured;
    const { deviceId, identity } = await secured.directory('tenant-1');
    const tls = secured.device('tenant-1');
    await secured.connected(tls, withKey(identity, keyHex));
    expect(await tls.register()).toBe('2.01');
    const plain = secured.device('tenant-2');
    const ids = [deviceId, (await secured.directory('tenant-2')).deviceId];
    await plain.connect(proxy.tcpPort);
    expect(await plain.register()).toBe('2.01');
    await secured.directory('tenant-3');
    ids.push(await system.register(system.thing(proxy, 'tenant-3')));

    await account('suspended');
    await eventually(() => expect([tls.connected, plain.connected]).toEqual([false, false]), patient);
    for (const id of ids)
      await system.fact(
        system.sessions,
        (v) => v.deviceId === id && v.change === 'deregistered' && v.reason === 'suspended',
      );
    const late = secured.device('tenant-1');
    await eventually(async () => {
      await late.connect(proxy.tlsPort, withKey(identity, keyHex)).catch(() => undefined);
      await eventually(() => expect(late.connected).toBe(false), { timeoutMs: 500 });
    }, patient);

    await account('active');
    const again = secured.device('tenant-1');
    await eventually(async () => {
      await again.connect(proxy.tlsPort, withKey(identity, keyHex));
      expect(await again.register()).toBe('2.01');
    }, patient);
  });
});
