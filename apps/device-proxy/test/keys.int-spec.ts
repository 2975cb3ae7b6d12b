import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, withKey } from '@lanyard/testing';
import type { RunningProxy } from './running-proxy.js';
import { type Harness } from './harness.js';
import { keyHex, patient, SecureStage } from './secure-stage.js';

describe('devices and their pre-shared keys', () => {
  let stage: SecureStage;
  let harness: Harness;
  let proxy: RunningProxy;

  beforeAll(async () => {
    stage = await SecureStage.create('keys');
    ({ harness, proxy } = stage);
  }, 180_000);
  afterEach(() => stage.closeDevices());
  afterAll(() => stage.close());

  it('a suspended device is refused also with a good key, and its session ends', async () => {
    const { deviceId, identity } = await stage.directory('psk-9');
    const thing = stage.device('psk-9');
    await stage.connected(thing, withKey(identity, keyHex));
    expect(await thing.register()).toBe('2.01');
    await harness.lifecycle(deviceId, 'psk-9', 'suspended');
    await harness.fact(harness.sessions, (v) => v.deviceId === deviceId && v.reason === 'suspended');
    expect(await thing.register()).toBe('4.03');
    expect(await thing.update()).toBe('4.04');
  });

  it('another endpoint name than its own: 4.03, and an entry in the event log', async () => {
    const { deviceId, identity } = await stage.directory('psk-3');
    await stage.directory('psk-victim');
    const thing = stage.device('psk-3');
    await stage.connected(thing, withKey(identity, keyHex));
    expect(await thing.register('psk-victim')).toBe('4.03');
    expect(await thing.register('unknown')).toBe('4.03');
    const { value } = await harness.fact(harness.events, (v) => v.deviceId === deviceId);
    expect(value).toMatchObject({ eventCode: 'SYS_400', data: { reason: 'wrong-endpoint-name', shown: 'psk-victim' } });
    expect(await thing.register()).toBe('2.01');
    // Twice refused, one entry.
    expect(harness.events.filter((event) => event.value.deviceId === deviceId)).toHaveLength(1);
  });

  it('the registration of another device can be neither updated nor ended', async () => {
    const victim = stage.device('psk-4');
    await stage.connected(victim, withKey((await stage.directory('psk-4')).identity, keyHex));
    await victim.register();
    const thief = stage.device('psk-5');
    await stage.connected(thief, withKey((await stage.directory('psk-5')).identity, keyHex));
    expect(await thief.update(victim.registrationId)).toBe('4.03');
    expect(await thief.deregister(victim.registrationId)).toBe('4.03');
    expect(await thief.post(['dp'], [], '[{"n":"/3303/0/5700","v":23}]', 110)).toBe('4.04');
    expect(await victim.update()).toBe('2.04');
    expect(await victim.deregister()).toBe('2.02');
  });

  it('a withdrawn key: the connection is closed within five seconds, and it opens no other', async () => {
    const { identity, credentialId } = await stage.directory('psk-6');
    const [first, second] = [stage.device('psk-6'), stage.device('psk-6')];
    for (const one of [first, second]) await stage.connected(one, withKey(identity, keyHex));
    expect(await first.register()).toBe('2.01');
    await harness.withdraw(credentialId);
    await eventually(() => expect([first.connected, second.connected]).toEqual([false, false]), patient);
    await harness.fact(
      harness.sessions,
      (v) => v.endpointName === 'psk-6' && v.change === 'deregistered' && v.reason === 'credential-withdrawn',
    );
    await expect(first.connect(proxy.tlsPort, withKey(identity, keyHex))).rejects.toThrow();
  });

  it('the registration stays when another credential of the device is withdrawn', async () => {
    const { deviceId, identity, credentialId } = await stage.directory('psk-10');
    await harness.credential({ deviceId, identity: 'id-psk-10-next', key: keyHex });
    const thing = stage.device('psk-10');
    await stage.connected(thing, withKey(identity, keyHex));
    expect(await thing.register()).toBe('2.01');
    await stage.connected(thing, withKey('id-psk-10-next', keyHex));
    expect(await thing.update()).toBe('2.04');
    await harness.withdraw(credentialId);
    const late = stage.device('psk-10');
    await eventually(() => expect(late.connect(proxy.tlsPort, withKey(identity, keyHex))).rejects.toThrow(), patient);
    expect(await thing.update()).toBe('2.04');
  });

  it('what was withdrawn while no replica ran ends the registration at the next start', async () => {
    const { deviceId, identity, credentialId } = await stage.directory('psk-11');
    const other = await harness.proxy('dp-2', { tls: {} });
    const thing = stage.device('psk-11');
    await stage.connected(thing, withKey(identity, keyHex), other);
    expect(await thing.register()).toBe('2.01');
    await harness.stop(other);
    await harness.withdraw(credentialId);
    const again = await harness.proxy('dp-2', { tls: {} });
    await harness.fact(harness.sessions, (v) => v.deviceId === deviceId && v.reason === 'credential-withdrawn');
    await harness.stop(again);
  });

  it('a wrong key: no connection, and one entry in the event log however often it is tried', async () => {
    const { deviceId, identity } = await stage.directory('psk-7');
    const good = stage.device('psk-7');
    await stage.connected(good, withKey(identity, keyHex));
    const bad = stage.device('psk-7');
    for (let attempt = 0; attempt < 3; attempt += 1)
      await expect(bad.connect(proxy.tlsPort, withKey(identity, 'ff'.repeat(16)))).rejects.toThrow();
    await expect(bad.connect(proxy.tlsPort, withKey('unknown-id', keyHex))).rejects.toThrow();
    const { value } = await harness.fact(harness.events, (v) => v.deviceId === deviceId);
    expect(value).toMatchObject({ eventCode: 'SYS_400', data: { reason: 'wrong-key', shown: identity } });
    expect(await good.register()).toBe('2.01');
    expect(harness.events.filter((event) => event.value.deviceId === deviceId)).toHaveLength(1);
  });
});
