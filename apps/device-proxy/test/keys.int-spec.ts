import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import { eventually, withKey } from '@lanyard/testing';
import { type TestSystem } from './test-system.js';
import { keyHex, SecureTestSystem } from './secure-test-system.js';

describe.each(['TLS', 'DTLS'] as const)('devices and their pre-shared keys over %s', (over) => {
  let secured: SecureTestSystem;
  let system: TestSystem;

  beforeAll(async () => {
    secured = await SecureTestSystem.create(`keys-${over}`, over);
    ({ system } = secured);
  });
  afterEach(() => secured.closeDevices());
  afterAll(() => secured.close());

  it('a suspended device is refused also with a good key, and its session ends', async () => {
    const { deviceId, identity } = await secured.directory('psk-9');
    const thing = secured.device('psk-9');
    await secured.connected(thing, withKey(identity, keyHex));
    expect(await thing.register()).toBe('2.01');
    await system.lifecycle(deviceId, 'psk-9', 'suspended');
    await system.fact(system.sessions, (v) => v.deviceId === deviceId && v.reason === 'suspended');
    await eventually(() => expect(thing.connected).toBe(false));
    await secured.connected(thing, withKey(identity, keyHex));
    expect(await thing.register()).toBe('4.03');
    expect(await thing.update()).toBe('4.04');
  });

  it('another endpoint name than its own: 4.03, and an entry in the event log', async () => {
    const { deviceId, identity } = await secured.directory('psk-3');
    await secured.directory('psk-victim');
    const thing = secured.device('psk-3');
    await secured.connected(thing, withKey(identity, keyHex));
    expect(await thing.register('psk-victim')).toBe('4.03');
    expect(await thing.register('unknown')).toBe('4.03');
    const { value } = await system.fact(system.events, (v) => v.deviceId === deviceId);
    expect(value).toMatchObject({ eventCode: 'SYS_400', data: { reason: 'wrong-endpoint-name', shown: 'psk-victim' } });
    expect(await thing.register()).toBe('2.01');
    // Twice refused, one entry.
    expect(system.events.filter((event) => event.value.deviceId === deviceId)).toHaveLength(1);
  });

  it('a credential that is known before its device: 5.03, and no entry in the event log', async () => {
    const [deviceId, identity] = [newId(), 'id-psk-12'];
    await system.credential({ deviceId, identity, key: keyHex });
    const thing = secured.device('psk-12');
    await secured.connected(thing, withKey(identity, keyHex));
    expect(await thing.register()).toBe('5.03');
    await system.lifecycle(deviceId, 'psk-12', 'created');
    await system.knows(secured.proxy, 'psk-12');
    expect(await thing.register()).toBe('2.01');
    expect(system.events.filter((event) => event.value.deviceId === deviceId)).toEqual([]);
  });

  it('the registration of another device can be neither updated nor ended', async () => {
    const victim = secured.device('psk-4');
    await secured.connected(victim, withKey((await secured.directory('psk-4')).identity, keyHex));
    await victim.register();
    const thief = secured.device('psk-5');
    await secured.connected(thief, withKey((await secured.directory('psk-5')).identity, keyHex));
    expect(await thief.update(victim.registrationId)).toBe('4.03');
    expect(await thief.deregister(victim.registrationId)).toBe('4.03');
    expect(await thief.post(['dp'], [], '[{"n":"/3303/0/5700","v":23}]', 110)).toBe('4.04');
    expect(await victim.update()).toBe('2.04');
    expect(await victim.deregister()).toBe('2.02');
  });

  it('a withdrawn key: the connection is closed within five seconds, and it opens no other', async () => {
    const { identity, credentialId } = await secured.directory('psk-6');
    const [first, second] = [secured.device('psk-6'), secured.device('psk-6')];
    for (const one of [first, second]) await secured.connected(one, withKey(identity, keyHex));
    expect(await first.register()).toBe('2.01');
    await system.withdraw(credentialId);
    await eventually(() => expect([first.connected, second.connected]).toEqual([false, false]));
    await system.fact(
      system.sessions,
      (v) => v.endpointName === 'psk-6' && v.change === 'deregistered' && v.reason === 'credential-withdrawn',
    );
    await expect(secured.connect(first, withKey(identity, keyHex))).rejects.toThrow();
  });

  it('the registration stays when another credential of the device is withdrawn', async () => {
    const { deviceId, identity, credentialId } = await secured.directory('psk-10');
    await system.credential({ deviceId, identity: 'id-psk-10-next', key: keyHex });
    const thing = secured.device('psk-10');
    await secured.connected(thing, withKey(identity, keyHex));
    expect(await thing.register()).toBe('2.01');
    await secured.connected(thing, withKey('id-psk-10-next', keyHex));
    expect(await thing.update()).toBe('2.04');
    await system.withdraw(credentialId);
    const late = secured.device('psk-10');
    await eventually(() => expect(secured.connect(late, withKey(identity, keyHex))).rejects.toThrow());
    expect(await thing.update()).toBe('2.04');
  });

  it('what was withdrawn while no replica ran ends the registration at the next start', async () => {
    const { deviceId, identity, credentialId } = await secured.directory('psk-11');
    const other = await secured.replica('dp-2');
    const thing = secured.device('psk-11');
    await secured.connected(thing, withKey(identity, keyHex), other);
    expect(await thing.register()).toBe('2.01');
    await system.stop(other);
    await system.withdraw(credentialId);
    const again = await secured.replica('dp-2');
    await system.fact(system.sessions, (v) => v.deviceId === deviceId && v.reason === 'credential-withdrawn');
    await system.stop(again);
  });

  it('a wrong key: no connection, and one entry in the event log however often it is tried', async () => {
    const { deviceId, identity } = await secured.directory('psk-7');
    const good = secured.device('psk-7');
    await secured.connected(good, withKey(identity, keyHex));
    const bad = secured.device('psk-7');
    for (let attempt = 0; attempt < 3; attempt += 1)
      await expect(secured.connect(bad, withKey(identity, 'ff'.repeat(16)))).rejects.toThrow();
    await expect(secured.connect(bad, withKey('unknown-id', keyHex))).rejects.toThrow();
    const { value } = await system.fact(system.events, (v) => v.deviceId === deviceId);
    expect(value).toMatchObject({ eventCode: 'SYS_400', data: { reason: 'wrong-key', shown: identity } });
    expect(await good.register()).toBe('2.01');
    expect(system.events.filter((event) => event.value.deviceId === deviceId)).toHaveLength(1);
  });
});
