import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { X509Certificate } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import { certificateAuthority, eventually, selfSigned } from '@lanyard/testing';
import type { RunningProxy } from '../src/start.js';
import { Harness, newKey } from './harness.js';
import { SecureDevice, withCertificate, withKey } from './secure-device.js';

const keyHex = '000102030405060708090a0b0c0d0e0f';
const path = '3303/0/5700';
/** A device is out within five seconds; a slow machine may take longer. */
const patient = { timeoutMs: 25_000 };

describe('devices with credentials', () => {
  let folder: string;
  let harness: Harness;
  let proxy: RunningProxy;
  const server = selfSigned('lanyard.example');
  const devices: SecureDevice[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lanyard-tls-'));
    const [certificateFile, privateKeyFile] = [join(folder, 'server.crt'), join(folder, 'server.key')];
    await writeFile(certificateFile, server.certificate);
    await writeFile(privateKeyFile, server.privateKey);
    harness = await Harness.create('secure', { autoCreateDevices: false });
    proxy = await harness.proxy('dp-0', { tls: { certificateFile, privateKeyFile }, tcp: true });
  }, 180_000);
  afterEach(async () => void (await Promise.all(devices.splice(0).map((device) => device.close()))));
  afterAll(async () => {
    await harness.close();
    await rm(folder, { recursive: true });
  });

  const device = (name: string): SecureDevice => {
    const one = new SecureDevice(name);
    devices.push(one);
    return one;
  };
  /** A device of the directory, with a pre-shared key. */
  const directory = async (name: string) => {
    const deviceId = newId();
    await harness.lifecycle(deviceId, name, 'created');
    const identity = `id-${name}`;
    return { deviceId, identity, credentialId: await harness.credential({ deviceId, identity, key: keyHex }) };
  };
  /** Until the proxy has heard of the credential. */
  const connected = async (one: SecureDevice, tls: Parameters<SecureDevice['connect']>[1], to = proxy): Promise<void> =>
    eventually(() => one.connect(to.tlsPort, tls));
  const registered = (name: string) =>
    harness.fact(harness.sessions, (v) => v.endpointName === name && v.change === 'registered');

  it('registers, is read, written and observed over TLS with a pre-shared key', async () => {
    const { deviceId, identity } = await directory('psk-1');
    const thing = device('psk-1');
    await connected(thing, withKey(identity, keyHex));
    expect(await thing.register()).toBe('2.01');
    expect((await registered('psk-1')).value).toMatchObject({
      deviceId,
      address: expect.stringMatching(/^coaps\+tcp:\/\/127\.0\.0\.1:\d+#[0-9a-f]+$/),
    });
    const key = newKey(harness.accountId);
    const command = (asyncId: string, body: object) =>
      harness.call(proxy, key, 'POST', `/v2/device-requests/${deviceId}?async-id=${asyncId}`, body);
    await command('read', { method: 'GET', uri: `/${path}`, accept: 'text/plain' });
    expect((await harness.result('read')).value.item).toMatchObject({
      status: 200,
      payload: Buffer.from('21.5').toString('base64'),
    });
    await command('write', {
      method: 'PUT',
      uri: `/${path}`,
      'content-type': 'text/plain',
      'payload-b64': Buffer.from('1'.repeat(3_000)).toString('base64'),
    });
    expect((await harness.result('write')).value.item).toMatchObject({ status: 200 });
    expect(thing.written).toEqual(['1'.repeat(3_000)]);
    await harness.call(proxy, key, 'PUT', `/v2/subscriptions/${deviceId}/${path}`);
    await eventually(() => expect(thing.observed).toBe(true));
    thing.report('22.5');
    const payload = Buffer.from('22.5').toString('base64');
    await harness.fact(harness.values, (v) => v.deviceId === deviceId && v.item.payload === payload);
    expect(await thing.post(['dp'], [], '[{"n":"/3303/0/5700","v":23}]', 110)).toBe('2.04');
    await harness.fact(harness.values, (v) => v.deviceId === deviceId && v.cause === 'send');
  });

  it('observations end with the connection and are made again after it', async () => {
    const { deviceId, identity } = await directory('psk-2');
    const thing = device('psk-2');
    await connected(thing, withKey(identity, keyHex));
    await thing.register();
    await registered('psk-2');
    const key = newKey(harness.accountId);
    await harness.call(proxy, key, 'PUT', `/v2/subscriptions/${deviceId}/${path}`);
    await eventually(() => expect(thing.observed).toBe(true));
    await harness.fact(harness.subscriptions, (v) => v.deviceId === deviceId && v.status === 'confirmed');
    thing.disconnect();
    await eventually(() => expect(thing.connected).toBe(false));
    // What is asked meanwhile waits.
    await harness.call(proxy, key, 'POST', `/v2/device-requests/${deviceId}?async-id=later`, {
      method: 'GET',
      uri: `/${path}`,
    });
    await connected(thing, withKey(identity, keyHex));
    expect(await thing.update()).toBe('2.04');
    expect((await harness.result('later')).value.item).toMatchObject({ status: 200 });
    await eventually(() => expect(thing.observed).toBe(true));
    thing.report('30.5');
    const payload = Buffer.from('30.5').toString('base64');
    await harness.fact(harness.values, (v) => v.deviceId === deviceId && v.item.payload === payload);
  });

  it('what was observed together is observed together again', async () => {
    const { deviceId, identity } = await directory('psk-together');
    const thing = device('psk-together');
    await connected(thing, withKey(identity, keyHex));
    await thing.register();
    const names = JSON.stringify([{ n: `/${path}` }, { n: '/3/0/0' }]);
    const body = { method: 'FETCH', uri: '/', observe: true, 'payload-b64': Buffer.from(names).toString('base64') };
    const key = newKey(harness.accountId);
    await harness.call(proxy, key, 'POST', `/v2/device-requests/${deviceId}?async-id=together`, body);
    expect((await harness.result('together')).value.item).toMatchObject({ status: 200 });
    thing.disconnect();
    await eventually(() => expect(thing.connected).toBe(false));
    thing.temperature = '31.5';
    await connected(thing, withKey(identity, keyHex));
    expect(await thing.update()).toBe('2.04');
    const { value } = await harness.fact(harness.values, (v) => v.item.payload === 'MzEuNQ==');
    expect(value.audience).toEqual([key.keyId]);
    expect(thing.together).toHaveLength(2);
  });

  it('a command sent at the moment its connection dies waits for the next one, without a retry to spend', async () => {
    const { deviceId, identity } = await directory('psk-race');
    const thing = device('psk-race');
    const tls = withKey(identity, keyHex);
    await connected(thing, tls);
    await thing.register();
    const key = newKey(harness.accountId);
    for (let round = 0; round < 16; round++) {
      const sent = harness.call(
        proxy,
        key,
        'POST',
        `/v2/device-requests/${deviceId}?async-id=race-${round}&retry=0`,
        round % 2 === 0
          ? { method: 'GET', uri: `/${path}` }
          : { method: 'PUT', uri: `/${path}`, 'payload-b64': Buffer.from(String(round)).toString('base64') },
      );
      await new Promise((resolve) => setTimeout(resolve, round));
      thing.disconnect();
      expect((await sent).status).toBe(202);
      await connected(thing, tls);
      expect(await thing.update()).toBe('2.04');
      expect((await harness.result(`race-${round}`)).value).toMatchObject({
        outcome: 'succeeded',
        item: { status: 200 },
      });
    }
    expect(new Set(thing.written).size).toBe(8);
  }, 180_000);

  it('a session moves with its device to another replica, and is there again after a restart', async () => {
    const { deviceId, identity } = await directory('psk-mover');
    const other = await harness.proxy('dp-1', { tls: {} });
    const thing = device('psk-mover');
    await connected(thing, withKey(identity, keyHex));
    await thing.register();
    await registered('psk-mover');
    const key = newKey(harness.accountId);
    await harness.call(proxy, key, 'PUT', `/v2/subscriptions/${deviceId}/${path}`);
    await harness.fact(harness.subscriptions, (v) => v.deviceId === deviceId && v.status === 'confirmed');
    thing.disconnect();
    await connected(thing, withKey(identity, keyHex), other);
    expect(await thing.update()).toBe('2.04');
    await eventually(() => expect(thing.observed).toBe(true));
    await harness.stop(other);
    await eventually(() => expect(thing.connected).toBe(false));
    const again = await harness.proxy('dp-1', { tls: {} });
    await harness.call(again, key, 'POST', `/v2/device-requests/${deviceId}?async-id=restarted`, {
      method: 'GET',
      uri: `/${path}`,
    });
    await connected(thing, withKey(identity, keyHex), again);
    expect(await thing.update()).toBe('2.04');
    expect((await harness.result('restarted')).value.item).toMatchObject({ status: 200 });
    await eventually(() => expect(thing.observed).toBe(true));
    thing.report('40.5');
    const payload = Buffer.from('40.5').toString('base64');
    await harness.fact(harness.values, (v) => v.deviceId === deviceId && v.item.payload === payload);
    await harness.stop(again);
  });

  it('a suspended device is refused also with a good key, and its session ends', async () => {
    const { deviceId, identity } = await directory('psk-9');
    const thing = device('psk-9');
    await connected(thing, withKey(identity, keyHex));
    expect(await thing.register()).toBe('2.01');
    await harness.lifecycle(deviceId, 'psk-9', 'suspended');
    await harness.fact(harness.sessions, (v) => v.deviceId === deviceId && v.reason === 'suspended');
    expect(await thing.register()).toBe('4.03');
    expect(await thing.update()).toBe('4.04');
  });

  it('another endpoint name than its own: 4.03, and an entry in the event log', async () => {
    const { deviceId, identity } = await directory('psk-3');
    await directory('psk-victim');
    const thing = device('psk-3');
    await connected(thing, withKey(identity, keyHex));
    expect(await thing.register('psk-victim')).toBe('4.03');
    expect(await thing.register('nobody')).toBe('4.03');
    const { value } = await harness.fact(harness.events, (v) => v.deviceId === deviceId);
    expect(value).toMatchObject({ eventCode: 'SYS_400', data: { reason: 'wrong-endpoint-name', shown: 'psk-victim' } });
    expect(await thing.register()).toBe('2.01');
    // Twice refused, one entry.
    expect(harness.events.filter((event) => event.value.deviceId === deviceId)).toHaveLength(1);
  });

  it('the registration of another device can be neither updated nor ended', async () => {
    const victim = device('psk-4');
    await connected(victim, withKey((await directory('psk-4')).identity, keyHex));
    await victim.register();
    const thief = device('psk-5');
    await connected(thief, withKey((await directory('psk-5')).identity, keyHex));
    expect(await thief.update(victim.registrationId)).toBe('4.03');
    expect(await thief.deregister(victim.registrationId)).toBe('4.03');
    expect(await thief.post(['dp'], [], '[{"n":"/3303/0/5700","v":23}]', 110)).toBe('4.04');
    expect(await victim.update()).toBe('2.04');
    expect(await victim.deregister()).toBe('2.02');
  });

  it('a withdrawn key: the connection is closed within five seconds, and it opens no other', async () => {
    const { identity, credentialId } = await directory('psk-6');
    const [first, second] = [device('psk-6'), device('psk-6')];
    for (const one of [first, second]) await connected(one, withKey(identity, keyHex));
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
    const { deviceId, identity, credentialId } = await directory('psk-10');
    await harness.credential({ deviceId, identity: 'id-psk-10-next', key: keyHex });
    const thing = device('psk-10');
    await connected(thing, withKey(identity, keyHex));
    expect(await thing.register()).toBe('2.01');
    await connected(thing, withKey('id-psk-10-next', keyHex));
    expect(await thing.update()).toBe('2.04');
    await harness.withdraw(credentialId);
    const late = device('psk-10');
    await eventually(() => expect(late.connect(proxy.tlsPort, withKey(identity, keyHex))).rejects.toThrow(), patient);
    expect(await thing.update()).toBe('2.04');
  });

  it('what was withdrawn while no replica ran ends the registration at the next start', async () => {
    const { deviceId, identity, credentialId } = await directory('psk-11');
    const other = await harness.proxy('dp-2', { tls: {} });
    const thing = device('psk-11');
    await connected(thing, withKey(identity, keyHex), other);
    expect(await thing.register()).toBe('2.01');
    await harness.stop(other);
    await harness.withdraw(credentialId);
    const again = await harness.proxy('dp-2', { tls: {} });
    await harness.fact(harness.sessions, (v) => v.deviceId === deviceId && v.reason === 'credential-withdrawn');
    await harness.stop(again);
  });

  it('a wrong key: no connection, and one entry in the event log however often it is tried', async () => {
    const { deviceId, identity } = await directory('psk-7');
    const good = device('psk-7');
    await connected(good, withKey(identity, keyHex));
    const bad = device('psk-7');
    for (let attempt = 0; attempt < 3; attempt += 1)
      await expect(bad.connect(proxy.tlsPort, withKey(identity, 'ff'.repeat(16)))).rejects.toThrow();
    await expect(bad.connect(proxy.tlsPort, withKey('id-of-nobody', keyHex))).rejects.toThrow();
    const { value } = await harness.fact(harness.events, (v) => v.deviceId === deviceId);
    expect(value).toMatchObject({ eventCode: 'SYS_400', data: { reason: 'wrong-key', shown: identity } });
    expect(await good.register()).toBe('2.01');
    expect(harness.events.filter((event) => event.value.deviceId === deviceId)).toHaveLength(1);
  });

  describe('certificates', () => {
    const fingerprintOf = (pem: string): string =>
      new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase();

    it('its own certificate lets a device in, another one does not', async () => {
      const deviceId = newId();
      await harness.lifecycle(deviceId, 'x509-1', 'created');
      const own = selfSigned('whatever');
      const fingerprint = fingerprintOf(own.certificate);
      const credentialId = await harness.credential({ kind: 'certificate', deviceId, fingerprint });
      const thing = device('x509-1');
      await connected(thing, withCertificate(own, server.certificate));
      expect(await thing.register()).toBe('2.01');
      expect((await registered('x509-1')).value.deviceId).toBe(deviceId);
      const stranger = device('x509-1');
      const other = withCertificate(selfSigned('whatever'), server.certificate);
      await expect(stranger.connect(proxy.tlsPort, other)).rejects.toThrow();
      const { cert: _cert, key: _key, ...bare } = withCertificate(own, server.certificate);
      await expect(stranger.connect(proxy.tlsPort, bare)).rejects.toThrow();
      await harness.withdraw(credentialId);
      await eventually(() => expect(thing.connected).toBe(false), patient);
    });

    it('one of a trusted issuer: the common name is the endpoint, unknown ones come with enrolment only', async () => {
      const authority = certificateAuthority('Factory');
      const credential = { kind: 'authority' as const, certificate: authority.certificate };
      const credentialId = await harness.credential({ ...credential, enrolment: false });
      const thing = device('born-today');
      const tls = withCertificate(authority.issue('born-today'), server.certificate);
      await connected(thing, tls);
      expect(await thing.register('somebody-else')).toBe('4.03');
      expect(await thing.register()).toBe('4.03');
      await harness.credential({ ...credential, credentialId, enrolment: true });
      await eventually(async () => {
        await thing.connect(proxy.tlsPort, tls);
        expect(await thing.register()).toBe('2.01');
      });
      expect((await registered('born-today')).value).toMatchObject({
        firstContact: true,
        accountId: harness.accountId,
      });
      await harness.withdraw(credentialId);
      await eventually(() => expect(thing.connected).toBe(false), patient);
      await expect(thing.connect(proxy.tlsPort, tls)).rejects.toThrow();
    });

    const chainOf = (...links: { certificate: string }[]): string => links.map((one) => one.certificate).join('');

    it('issuers between, that the device sends, count; one that may not sign, or that has ended, does not', async () => {
      const root = certificateAuthority('Root');
      await harness.credential({ kind: 'authority', certificate: root.certificate, enrolment: true });
      const line = root.intermediate('Line 1').intermediate('Line 1, week 47');
      const week = root.intermediate('Line 2');
      const own = week.issue('chained');
      const good = device('chained');
      const chained = { ...own, certificate: chainOf(own, week) };
      await connected(good, withCertificate(chained, server.certificate));
      expect(await good.register()).toBe('2.01');
      const leaf = root.issue('leaf');
      const forger = selfSigned('forged');
      const ended = root.intermediate('Ended', { notBefore: new Date(0), notAfter: new Date(Date.now() - 1_000) });
      const endedLeaf = ended.issue('ended');
      const bad = device('bad');
      for (const [certified, chain] of [
        [own, chainOf(own)],
        [line.issue('missing-link'), chainOf(line.issue('missing-link'), line)],
        [forger, chainOf(forger, leaf)],
        [endedLeaf, chainOf(endedLeaf, ended)],
      ] as const)
        await expect(
          bad.connect(
            proxy.tlsPort,
            withCertificate({ certificate: chain, privateKey: certified.privateKey }, server.certificate),
          ),
        ).rejects.toThrow();
    });

    it('a revoked serial number: disconnected, deregistered, and not let in again; the others stay', async () => {
      const authority = certificateAuthority('Revoking CA');
      const credential = { kind: 'authority' as const, certificate: authority.certificate, enrolment: true };
      const credentialId = await harness.credential(credential);
      const between = authority.intermediate('Between');
      const [lost, kept, below] = [authority.issue('lost'), authority.issue('kept'), between.issue('below')];
      const chained = { ...below, certificate: chainOf(below, between) };
      const things = [device('lost'), device('kept'), device('below')] as const;
      const shown = [lost, kept, chained].map((one) => withCertificate(one, server.certificate));
      for (const [i, thing] of things.entries()) {
        await connected(thing, shown[i]);
        expect(await thing.register()).toBe('2.01');
      }
      const serials = [lost, between].map((one) => new X509Certificate(one.certificate).serialNumber.toLowerCase());
      await harness.credential({ ...credential, credentialId, revokedSerials: serials });
      for (const name of ['lost', 'below'])
        await harness.fact(harness.sessions, (v) => v.endpointName === name && v.reason === 'credential-withdrawn');
      await eventually(() => expect(things.map(({ connected: open }) => open)).toEqual([false, true, false]), patient);
      for (const i of [0, 2]) await expect(things[i]!.connect(proxy.tlsPort, shown[i])).rejects.toThrow();
      expect(await things[1].update()).toBe('2.04');
    });

    it('an issuer that only calls itself the same, and dates that have passed, let nobody in', async () => {
      const authority = certificateAuthority('Honest CA');
      await harness.credential({ kind: 'authority', certificate: authority.certificate, enrolment: true });
      const good = device('honest');
      await connected(good, withCertificate(authority.issue('honest'), server.certificate));
      const bad = device('bad');
      const forged = certificateAuthority('Honest CA').issue('honest');
      const expired = authority.issue('honest', { notBefore: new Date(0), notAfter: new Date(Date.now() - 1_000) });
      for (const one of [forged, expired])
        await expect(bad.connect(proxy.tlsPort, withCertificate(one, server.certificate))).rejects.toThrow();
    });
  });

  it('plain TCP is for development: anybody of the account may come', async () => {
    await harness.lifecycle(newId(), 'tcp-1', 'created');
    const thing = device('tcp-1');
    await thing.connect(proxy.tcpPort);
    await eventually(async () => expect(await thing.register()).toBe('2.01'));
    expect(await thing.update()).toBe('2.04');
  });

  it('peers that are malformed, half-open or too many leave the others alone', async () => {
    const { identity } = await directory('psk-8');
    const sockets = Array.from({ length: 60 }, (_, i) => {
      const socket = connect({ host: '127.0.0.1', port: proxy.tlsPort });
      socket.on('error', () => undefined);
      if (i < 5) socket.write(Buffer.alloc(100, i));
      return socket;
    });
    const metrics = async (): Promise<string> => (await fetch(`${proxy.url}/metrics`)).text();
    const happened = async (event: string): Promise<boolean> =>
      new RegExp(`event="${event}",scheme="coaps[+]tcp"[^\n]* [1-9]`).test(await metrics());
    await eventually(async () => expect(await happened('connection-refused-by-limit')).toBe(true));
    await eventually(async () => expect(await happened('handshake-failed')).toBe(true));
    for (const socket of sockets) socket.destroy();
    const thing = device('psk-8');
    await connected(thing, withKey(identity, keyHex));
    expect(await thing.register()).toBe('2.01');
  });
});
