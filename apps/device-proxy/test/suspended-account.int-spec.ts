import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, withKey } from '@lanyard/testing';
import { keyHex, patient, SecureStage } from './secure-stage.js';

describe('a suspended account', () => {
  let stage: SecureStage;

  beforeAll(async () => {
    stage = await SecureStage.create('suspended-account');
  }, 180_000);
  afterAll(async () => {
    await stage?.closeDevices();
    await stage?.close();
  });

  const account = (status: 'active' | 'suspended'): Promise<void> =>
    stage.harness.account(false, undefined, { status });

  it('has no connected and no registered devices; they come back with it', async () => {
    const { harness, proxy } = stage;
    const { deviceId, identity } = await stage.directory('tenant-1');
    const tls = stage.device('tenant-1');
    await stage.connected(tls, withKey(identity, keyHex));
    expect(await tls.register()).toBe('2.01');
    const plain = stage.device('tenant-2');
    const ids = [deviceId, (await stage.directory('tenant-2')).deviceId];
    await plain.connect(proxy.tcpPort);
    expect(await plain.register()).toBe('2.01');
    await stage.directory('tenant-3');
    ids.push(await harness.register(harness.thing(proxy, 'tenant-3')));

    await account('suspended');
    await eventually(() => expect([tls.connected, plain.connected]).toEqual([false, false]), patient);
    for (const id of ids)
      await harness.fact(
        harness.sessions,
        (v) => v.deviceId === id && v.change === 'deregistered' && v.reason === 'suspended',
      );
    const late = stage.device('tenant-1');
    await eventually(async () => {
      await late.connect(proxy.tlsPort, withKey(identity, keyHex)).catch(() => undefined);
      await eventually(() => expect(late.connected).toBe(false), { timeoutMs: 500 });
    }, patient);

    await account('active');
    const again = stage.device('tenant-1');
    await eventually(async () => {
      await again.connect(proxy.tlsPort, withKey(identity, keyHex));
      expect(await again.register()).toBe('2.01');
    }, patient);
  });
});
