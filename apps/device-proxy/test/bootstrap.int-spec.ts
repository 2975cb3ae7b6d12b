import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Code } from '@lanyard/coap';
import { DeviceGroups } from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import { certificateAuthority, eventually, TestClock, withCertificate, withKey } from '@lanyard/testing';
import { bootstrapMaxMs } from '../src/bootstrap/limits.js';
import { BootstrapTestSystem } from './bootstrap-test-system.js';
import type { BootstrappingDevice } from './bootstrapping-device.js';
import type { RunningProxy } from './running-proxy.js';
import { keyHex } from './secure-test-system.js';
import type { TestSystem } from './test-system.js';

const conversation = ['GET /', 'DELETE /0', 'DELETE /1', 'PUT /0/1', 'PUT /1/0', 'POST /bs'];

describe('the bootstrap server', () => {
  let all: BootstrapTestSystem;
  let system: TestSystem;
  let proxy: RunningProxy;

  beforeAll(async () => {
    all = await BootstrapTestSystem.create('bootstrap');
    ({ system } = all.secured);
    ({ proxy } = all);
  });
  afterEach(() => all.closeDevices());
  afterAll(() => all.close());

  const fresh: BootstrapTestSystem['fresh'] = (...given) => all.fresh(...given);

  /** The proxy learns of the device and its profile a moment after they were announced. */
  const begins = (device: BootstrappingDevice, query?: readonly string[]): Promise<void> =>
    eventually(async () => expect(await device.bootstrap(query)).toBe('2.04'));

  const bootstrapCredential = async (name: string, deviceId: string): Promise<ReturnType<typeof withKey>> => {
    const identity = `factory-${name}`;
    await system.credential({ deviceId, identity, key: keyHex, service: 'bootstrap' });
    return withKey(identity, keyHex);
  };

  it('gives a device its server account, and a key with which it registers', async () => {
    const { deviceId, device } = await fresh('first');
    await begins(device);
    const { bootstrapId } = await all.fact(deviceId, 'bootstrapped');
    expect(device.asked).toEqual(conversation);
    const key = all.keys.get(bootstrapId) ?? '';
    expect(Object.fromEntries([...device.resources].filter(([path]) => !path.startsWith('/0/0/')))).toEqual({
      '/0/1/0': 'coaps+tcp://lwm2m.example:5684',
      '/0/1/1': false,
      '/0/1/2': 0,
      '/0/1/3': Buffer.from(bootstrapId),
      '/0/1/4': Buffer.alloc(0),
      '/0/1/5': Buffer.from(key, 'hex'),
      '/0/1/10': 123,
      '/1/0/0': 123,
      '/1/0/1': 300,
      '/1/0/6': true,
      '/1/0/7': 'T',
    });
    expect(all.ofBootstrap(bootstrapId).map(({ change }) => change)).toEqual(['started', 'bootstrapped']);
    const registering = all.device('first');
    await eventually(() => registering.overStream(proxy.tlsPort, withKey(bootstrapId, key)));
    expect(await registering.register()).toBe('2.01');
  });

  it('says in its facts who bootstrapped how, and nothing secret', async () => {
    const { deviceId, device } = await fresh('told');
    await begins(device);
    const { bootstrapId } = await all.fact(deviceId, 'bootstrapped');
    const [started] = all.ofBootstrap(bootstrapId);
    expect(started).toMatchObject({
      bootstrapId,
      accountId: all.accountId,
      change: 'started',
      interface: 'bs',
      credential: 'psk',
      serverUri: 'coaps+tcp://lwm2m.example:5684',
      shortServerId: 123,
      address: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
    });
    expect(JSON.stringify(all.of(deviceId))).not.toContain(all.keys.get(bootstrapId));
  });

  it('without security there is no key to create', async () => {
    const { deviceId, device } = await fresh('open', { securityMode: 'none', serverUri: 'coap://127.0.0.1:5683' });
    await begins(device);
    await all.fact(deviceId, 'bootstrapped');
    expect(device.resources.get('/0/1/2')).toBe(3);
    expect(device.resources.get('/0/1/3')).toEqual(Buffer.alloc(0));
    expect(all.of(deviceId)[0]?.credential).toBeUndefined();
  });

  describe('the profile that applies', () => {
    const uriOf = async (device: BootstrappingDevice, deviceId: string): Promise<unknown> => {
      const before = all.of(deviceId).filter(({ change }) => change === 'bootstrapped').length;
      await begins(device);
      await eventually(() =>
        expect(all.of(deviceId).filter(({ change }) => change === 'bootstrapped')).toHaveLength(before + 1),
      );
      return device.resources.get('/0/1/0');
    };

    it('is that of the device, else of its group, else of the account', async () => {
      const deviceId = await all.directory('chosen');
      const [older, newer] = [newId(1_000), newId(2_000)];
      const [north, south] = [newId(), newId()];
      const nosec = { securityMode: 'none' } as const;
      const ofAccount = await all.profile({ ...nosec, serverUri: 'coap://account.example' });
      await all.profile({ ...nosec, profileId: newer, groupId: north, serverUri: 'coap://newer.example' });
      await all.profile({ ...nosec, profileId: older, groupId: south, serverUri: 'coap://older.example' });
      const device = await all.device('chosen').overUdp(proxy.coapPort);
      expect(await uriOf(device, deviceId)).toBe('coap://account.example');
      const groups = { deviceId, accountId: all.accountId, revision: 1, changedAt: new Date().toISOString() };
      await system.announce(DeviceGroups, { ...groups, groups: [north, south] });
      await eventually(async () => expect(await uriOf(device, deviceId)).toBe('coap://older.example'));
      const own = await all.profile({ ...nosec, deviceId, serverUri: 'coap://own.example' });
      await eventually(async () => expect(await uriOf(device, deviceId)).toBe('coap://own.example'));
      await all.withdraw(own);
      await eventually(async () => expect(await uriOf(device, deviceId)).toBe('coap://older.example'));
      await all.withdraw(ofAccount);
      await all.directory('without-groups');
      const other = await all.device('without-groups').overUdp(proxy.coapPort);
      await eventually(async () => expect(await other.bootstrap()).toBe('4.00'));
    });

    it('must exist, and belong to the account', async () => {
      const deviceId = await all.directory('unprofiled');
      await all.profile({ deviceId, accountId: newId() });
      const device = await all.device('unprofiled').overUdp(proxy.coapPort);
      await eventually(async () => expect(await device.bootstrap()).toBe('4.00'));
      expect((await device.pack()).code).toBe(Code.NotFound);
      expect(all.of(deviceId)).toEqual([]);
    });
  });

  describe('what a device already has', () => {
    it('stays if the profile deletes nothing: the account replaces the one with its short server id', async () => {
      const { deviceId, device } = await fresh('kept', { deletePaths: [] });
      const has = { '/0/1/0': 'coap://other', '/0/1/10': 7, '/0/4/0': 'coap://old', '/0/4/10': 123 };
      const servers = { '/1/0/0': 7, '/1/0/1': 60, '/1/2/0': 123, '/1/2/1': 60 };
      for (const [path, value] of Object.entries({ ...has, ...servers })) device.resources.set(path, value);
      await begins(device);
      await all.fact(deviceId, 'bootstrapped');
      expect(device.asked).toEqual(['GET /', 'GET /1', 'PUT /0/4', 'PUT /1/2', 'POST /bs']);
      expect(device.resources.get('/0/1/0')).toBe('coap://other');
      expect(device.resources.get('/0/4/0')).toBe('coaps+tcp://lwm2m.example:5684');
      expect(device.resources.get('/1/2/1')).toBe(300);
    });

    it('is not asked further if the device refuses Discover, or speaks LwM2M 1.0', async () => {
      const { deviceId, device } = await fresh('bare');
      device.refuses.set('GET /', '4.05');
      await begins(device);
      await all.fact(deviceId, 'bootstrapped');
      expect(device.asked).toEqual(conversation);
      const { deviceId: oldId, device: old } = await fresh('old', { deletePaths: ['/'] });
      old.version = '1.0';
      for (const path of ['/0/1/10', '/1/0/0']) old.resources.set(path, 9);
      await begins(old);
      await all.fact(oldId, 'bootstrapped');
      expect(old.asked).toEqual(['GET /', 'DELETE /', 'PUT /0/1', 'PUT /1/0', 'POST /bs']);
    });
  });

  it('writes in the Content-Format that the device prefers, if it can', async () => {
    const { deviceId, device } = await fresh('formats');
    await begins(device, ['ep=formats', 'pct=112']);
    await all.fact(deviceId, 'bootstrapped');
    expect(device.resources.get('/1/0/7')).toBe('T');
    for (const format of [0, 60, 11_543]) expect(await device.bootstrap(['ep=formats', `pct=${format}`])).toBe('4.15');
    for (const query of [['ep='], ['ep=a', 'pct=x'], [`ep=${'a'.repeat(65)}`], []])
      expect(await device.bootstrap(query)).toBe('4.00');
  });

  it('takes a name of 60 characters, each of two UTF-16 units', async () => {
    const { deviceId, device } = await fresh('\u{1F600}'.repeat(60));
    await begins(device);
    await all.fact(deviceId, 'bootstrapped');
  });

  it.each([
    ['TLV', []],
    ['SenML CBOR', ['pct=112']],
    ['LwM2M CBOR', ['pct=11544']],
  ])('writes what the profile has of the Server object, also Mute Send, as %s', async (format, query) => {
    const { deviceId, device } = await fresh(`settings-${format}`, {
      defaultMinPeriodSeconds: 0,
      defaultMaxPeriodSeconds: 600,
      disableTimeoutSeconds: 3_600,
      initialRegistrationDelaySeconds: 0,
      bootstrapOnRegistrationFailure: true,
      communicationRetryCount: 3,
      communicationRetrySeconds: 60,
      communicationSequenceDelaySeconds: 86_400,
      communicationSequenceRetryCount: 200,
      preferredTransport: 'T',
      muteSend: true,
      confirmableNotifications: true,
    });
    await begins(device, [`ep=${device.name}`, ...query]);
    await all.fact(deviceId, 'bootstrapped');
    expect(Object.fromEntries([...device.resources].filter(([path]) => path.startsWith('/1/')))).toEqual({
      '/1/0/0': 123,
      '/1/0/1': 300,
      '/1/0/2': 0,
      '/1/0/3': 600,
      '/1/0/5': 3_600,
      '/1/0/6': true,
      '/1/0/7': 'T',
      '/1/0/14': 0,
      '/1/0/16': true,
      '/1/0/17': 3,
      '/1/0/18': 60,
      '/1/0/19': 86_400,
      '/1/0/20': 200,
      '/1/0/22': 'T',
      '/1/0/23': true,
      '/1/0/26': 1,
    });
  });

  it('writes false and 0 of the Server object, and does not leave them to the device', async () => {
    const { deviceId, device } = await fresh('unmuted', { muteSend: false, confirmableNotifications: false });
    await begins(device);
    await all.fact(deviceId, 'bootstrapped');
    expect([device.resources.get('/1/0/23'), device.resources.get('/1/0/26')]).toEqual([false, 0]);
  });

  describe('a bootstrap that fails withdraws its key', () => {
    it.each([
      ['a refused deletion', 'DELETE /1', '4.00'],
      ['a refused write', 'PUT /0/1', '4.00'],
      ['an inconsistent account', 'POST /bs', '4.06'],
    ])('%s', async (_what, request, code) => {
      const { deviceId, device } = await fresh(`refuses ${request}`);
      device.refuses.set(request, code);
      await begins(device);
      const failed = await all.failed(deviceId, 'refused');
      expect(failed.detail).toBe(`${request}: ${code}`);
      const key = all.keys.get(failed.bootstrapId) as string;
      expect(key).toMatch(/^[0-9a-f]{32}$/);
      const registering = all.device(device.name);
      await eventually(() =>
        expect(registering.overStream(proxy.tlsPort, withKey(failed.bootstrapId, key))).rejects.toThrow(),
      );
    });

    it('a deletion of what is not there is none', async () => {
      const { deviceId, device } = await fresh('empty');
      device.refuses.set('DELETE /1', '4.04');
      await begins(device);
      await all.fact(deviceId, 'bootstrapped');
    });

    it('a lost connection', async () => {
      const deviceId = await all.directory('lost');
      await all.profile({ deviceId });
      const tls = await bootstrapCredential('lost', deviceId);
      const device = all.device('lost');
      await eventually(() => device.overStream(proxy.tlsPort, tls));
      device.beforeAnswer = (asked) => {
        if (asked === 'PUT /0/1') device.disconnect();
      };
      await begins(device);
      await all.failed(deviceId, 'connection-lost');
    });

    it('a device that asks again', async () => {
      const { deviceId, device } = await fresh('again');
      let isFirst = true;
      const never = new Promise<void>(() => undefined);
      device.beforeAnswer = async (asked) => {
        if (asked !== 'PUT /1/0' || !isFirst) return;
        isFirst = false;
        await never;
      };
      await begins(device);
      await eventually(() => expect(device.asked).toContain('PUT /1/0'));
      const other = await all.device('again').overUdp(proxy.coapPort);
      await begins(other);
      const { bootstrapId } = await all.fact(deviceId, 'bootstrapped');
      const failed = await all.failed(deviceId, 'superseded');
      expect(failed.detail).toBe('the device asked again');
      expect(failed.bootstrapId).not.toBe(bootstrapId);
    });

    it.each(['the device was suspended', 'its credential was withdrawn'])('an aborted one: %s', async (why) => {
      const { deviceId, device } = await fresh(why);
      device.beforeAnswer = (asked) => (asked === 'PUT /1/0' ? new Promise(() => undefined) : undefined);
      await begins(device);
      await eventually(() => expect(device.asked).toContain('PUT /1/0'));
      const id = all.of(deviceId).findLast(({ change }) => change === 'started')?.bootstrapId ?? '';
      await (why.endsWith('suspended') ? system.lifecycle(deviceId, why, 'suspended') : system.withdraw(id));
      await eventually(() => expect(all.ofBootstrap(id).at(-1)).toMatchObject({ failure: 'stopped', detail: why }));
      expect(device.asked).not.toContain('POST /bs');
    });
  });

  describe('with a clock of its own', () => {
    let clock: TestClock;
    let slow: RunningProxy;

    beforeAll(async () => {
      clock = new TestClock(Date.now());
      slow = await system.proxy('dp-slow', { clock });
    });

    it('a device that does not answer has time until the limit', async () => {
      const deviceId = await all.directory('silent');
      await all.profile({ deviceId });
      const device = await all.device('silent').overUdp(slow.coapPort);
      device.beforeAnswer = (asked) => (asked === 'POST /bs' ? new Promise(() => undefined) : undefined);
      await begins(device);
      await eventually(() => expect(device.asked).toContain('POST /bs'));
      await clock.advance(bootstrapMaxMs - 1);
      expect(all.of(deviceId).at(-1)?.change).toBe('started');
      await clock.advance(1);
      expect((await all.failed(deviceId, 'no-answer')).detail).toBe('not done after 300 s');
    });

    it('a replica that stops ends its bootstraps', async () => {
      const deviceId = await all.directory('stopped');
      await all.profile({ deviceId });
      const device = await all.device('stopped').overUdp(slow.coapPort);
      device.beforeAnswer = (asked) => (asked === 'PUT /1/0' ? new Promise(() => undefined) : undefined);
      await begins(device);
      await eventually(() => expect(device.asked).toContain('PUT /1/0'));
      // The device may have asked more than once: a bootstrap whose key comes too late fails in the same way.
      const running = all.of(deviceId).findLast(({ change }) => change === 'started')?.bootstrapId ?? '';
      await system.stop(slow);
      await eventually(() => expect(all.ofBootstrap(running).at(-1)).toMatchObject({ failure: 'stopped' }));
    });
  });

  it('answers 5.03 and writes nothing while the registry creates no credential', async () => {
    const { deviceId, device } = await fresh('orphan');
    all.registryRuns = false;
    try {
      await eventually(async () => expect(await device.bootstrap()).toBe('5.03'));
    } finally {
      all.registryRuns = true;
    }
    expect(device.asked).toEqual([]);
    expect(await all.fact(deviceId, 'failed')).toMatchObject({ failure: 'stopped' });
    await begins(device);
    await all.fact(deviceId, 'bootstrapped');
  });

  describe('a device can only bootstrap itself', () => {
    it.each(['TLS', 'DTLS'])('over %s with its bootstrap credential, also without its name', async (over) => {
      const deviceId = await all.directory(`own-${over}`);
      await all.profile({ deviceId });
      await all.directory(`neighbour-${over}`);
      const security = await bootstrapCredential(`own-${over}`, deviceId);
      const device = all.device(`own-${over}`);
      await eventually(() =>
        over === 'TLS' ? device.overStream(proxy.tlsPort, security) : device.overDtls(proxy.dtlsPort, security),
      );
      expect(await device.bootstrap([`ep=neighbour-${over}`])).toBe('4.03');
      await begins(device, []);
      await all.fact(deviceId, 'bootstrapped');
    });

    it('and do nothing else with that credential, or bootstrap with another one', async () => {
      const deviceId = await all.directory('split');
      await all.profile({ deviceId });
      const device = all.device('split');
      const tls = await bootstrapCredential('split', deviceId);
      await eventually(() => device.overStream(proxy.tlsPort, tls));
      expect(await device.register()).toBe('4.03');
      await system.credential({ deviceId, identity: 'id-split', key: keyHex });
      const registering = all.device('split');
      await eventually(() => registering.overStream(proxy.tlsPort, withKey('id-split', keyHex)));
      expect(await registering.bootstrap()).toBe('4.03');
      expect((await registering.pack()).code).toBe(Code.Forbidden);
      expect(await registering.register()).toBe('2.01');
      const { value } = await system.fact(system.events, (event) => event.deviceId === deviceId);
      expect(value).toMatchObject({ eventCode: 'SYS_400', data: { reason: 'wrong-service' } });
    });

    it('not without security if it has a bootstrap credential', async () => {
      const { deviceId, device } = await fresh('guarded');
      await begins(device);
      await bootstrapCredential('guarded', deviceId);
      await eventually(async () => expect(await device.bootstrap()).toBe('4.03'));
      await system.fact(system.events, ({ data }) => data?.reason === 'no-bootstrap-credential');
    });

    it('not while it is suspended', async () => {
      const { deviceId, device } = await fresh('blocked');
      await begins(device);
      await system.lifecycle(deviceId, 'blocked', 'suspended');
      await eventually(async () => expect(await device.bootstrap()).toBe('4.03'));
    });

    it('with a certificate of an issuer that the account trusts for bootstrapping', async () => {
      const deviceId = await all.directory('certified');
      await all.profile({ deviceId });
      const issuer = certificateAuthority('bootstrap issuer');
      const authority = { kind: 'authority', certificate: issuer.certificate, enrolment: false } as const;
      await system.credential({ ...authority, service: 'bootstrap' });
      const device = all.device('certified');
      const tls = withCertificate(issuer.issue('certified'), all.secured.server.certificate);
      await eventually(() => device.overStream(proxy.tlsPort, tls));
      expect(await device.register()).toBe('4.03');
      await begins(device);
      await all.fact(deviceId, 'bootstrapped');
    });
  });

  it('other methods and paths are not there', async () => {
    const device = await all.device('methods').overUdp(proxy.coapPort);
    for (const [method, path, code] of [
      [Code.GET, ['bs'], Code.MethodNotAllowed],
      [Code.POST, ['bspack'], Code.MethodNotAllowed],
      [Code.POST, ['bs', '1'], Code.NotFound],
    ] as const)
      expect((await device.send(method, [...path])).code).toBe(code);
  });
});
