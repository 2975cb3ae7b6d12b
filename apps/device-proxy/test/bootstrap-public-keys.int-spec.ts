import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Code } from '@lanyard/coap';
import type { BootstrapProfileChanged } from '@lanyard/contracts';
import { contentFormat, decodeValues, type Scalar, standardModels } from '@lanyard/lwm2m';
import { type DeviceSecurity, eventually, selfSigned, withKey, withPublicKey } from '@lanyard/testing';
import { BootstrapTestSystem } from './bootstrap-test-system.js';
import type { BootstrappingDevice } from './bootstrapping-device.js';
import type { RunningProxy } from './running-proxy.js';
import { keyHex } from './secure-test-system.js';

const rawPublicKeys: Partial<BootstrapProfileChanged> = {
  securityMode: 'raw_public_key',
  serverUri: 'coaps://lwm2m.example:5684',
  binding: 'U',
};

/** Resources 3, 4 and 5 of the account that was written. */
const keysIn = (resources: ReadonlyMap<string, unknown>) => {
  const [own, server, secret] = [3, 4, 5].map((id) => resources.get(`/0/1/${id}`) as Buffer);
  if (!own || !server || !secret) throw new Error('no account');
  return { own, server, secret };
};

/** How the device connects from then on: it accepts a server with the key that it was told only. */
const securityIn = (resources: ReadonlyMap<string, unknown>): DeviceSecurity => {
  const { server, secret } = keysIn(resources);
  const privateKey = createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' });
  const serverKey = createPublicKey({ key: server, format: 'der', type: 'spki' });
  return withPublicKey(
    privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    serverKey.export({ format: 'pem', type: 'spki' }).toString(),
  );
};

describe('bootstraps with raw public keys', () => {
  let all: BootstrapTestSystem;
  let proxy: RunningProxy;

  beforeAll(async () => {
    all = await BootstrapTestSystem.create('bootstrap-public-keys');
    ({ proxy } = all);
  });
  afterEach(() => all.closeDevices());
  afterAll(() => all.close());

  /** A device with a profile of its own. */
  const fresh = async (name: string): Promise<{ deviceId: string; device: BootstrappingDevice }> => {
    const deviceId = await all.directory(name);
    await all.profile({ deviceId, ...rawPublicKeys });
    return { deviceId, device: all.device(name) };
  };

  const begins = (device: BootstrappingDevice): Promise<void> =>
    eventually(async () => expect(await device.bootstrap()).toBe('2.04'));

  /** Over DTLS, as the account says. */
  const registers = async (name: string, security: DeviceSecurity): Promise<void> => {
    const registering = all.device(name);
    await eventually(() => registering.overDtls(proxy.dtlsPort, security));
    expect(await registering.register()).toBe('2.01');
  };

  const isRefused = (name: string, security: DeviceSecurity): Promise<void> => {
    const refused = all.device(name);
    return eventually(() => expect(refused.overDtls(proxy.dtlsPort, security)).rejects.toThrow());
  };

  it('give a device a key pair and the key of the server, with which it registers over DTLS', async () => {
    const { deviceId, device } = await fresh('first');
    const { system, server } = all.secured;
    await system.credential({ deviceId, identity: 'factory-first', key: keyHex, service: 'bootstrap' });
    await eventually(() => device.overDtls(proxy.dtlsPort, withKey('factory-first', keyHex)));
    await begins(device);
    const { bootstrapId } = await all.fact(deviceId, 'bootstrapped');
    const { own, server: serverKey, secret } = keysIn(device.resources);
    expect(device.resources.get('/0/1/2')).toBe(1);
    const spki = { format: 'der', type: 'spki' } as const;
    const privateKey = createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' });
    expect(privateKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
    expect(createPublicKey(privateKey).export(spki)).toEqual(own);
    expect(createPublicKey(server.certificate).export(spki)).toEqual(serverKey);
    const [started] = all.ofBootstrap(bootstrapId);
    const fingerprint = createHash('sha256').update(own).digest('hex');
    expect(started).toMatchObject({ change: 'started', credential: 'raw_public_key', fingerprint });
    for (const encoding of ['hex', 'base64'] as const)
      expect(JSON.stringify(all.of(deviceId))).not.toContain(secret.toString(encoding));
    await registers('first', securityIn(device.resources));
  });

  it('are confirmed by the registration if the answer to Finish is lost', async () => {
    const { deviceId, device } = await fresh('unanswered');
    device.beforeAnswer = (asked) => (asked === 'POST /bs' ? new Promise(() => undefined) : undefined);
    await device.overUdp(proxy.coapPort);
    await begins(device);
    await eventually(() => expect(device.asked).toContain('POST /bs'));
    const beganMs = Date.now();
    await registers('unanswered', securityIn(device.resources));
    const { bootstrapId, occurredAt } = await all.fact(deviceId, 'bootstrapped');
    expect(Date.parse(occurredAt)).toBeGreaterThanOrEqual(beganMs);
    const fingerprint = createHash('sha256').update(keysIn(device.resources).own).digest('hex');
    expect(all.ofBootstrap(bootstrapId)[0]).toMatchObject({ change: 'started', fingerprint });
  });

  it('give another key pair to a device that asks again, and withdraw the earlier one', async () => {
    const { deviceId, device } = await fresh('again');
    device.beforeAnswer = (asked) => (asked === 'POST /bs' ? new Promise(() => undefined) : undefined);
    await device.overUdp(proxy.coapPort);
    await begins(device);
    await eventually(() => expect(device.asked).toContain('POST /bs'));
    const other = await all.device('again').overUdp(proxy.coapPort);
    await begins(other);
    await all.failed(deviceId, 'superseded');
    await all.fact(deviceId, 'bootstrapped');
    expect(keysIn(other.resources).own).not.toEqual(keysIn(device.resources).own);
    await isRefused('again', securityIn(device.resources));
    await registers('again', securityIn(other.resources));
  });

  it('that the device refuses leave no key that it could connect with', async () => {
    const { deviceId, device } = await fresh('refusing');
    device.refuses.set('POST /bs', '4.06');
    await device.overUdp(proxy.coapPort);
    await begins(device);
    expect((await all.failed(deviceId, 'refused')).detail).toBe('POST /bs: 4.06');
    await isRefused('refusing', securityIn(device.resources));
  });

  it.each([
    ['SenML CBOR', contentFormat.senmlCbor],
    ['SenML JSON', contentFormat.senmlJson],
    ['LwM2M CBOR', contentFormat.lwm2mCbor],
  ])('have the key pair in a pack as %s, and are confirmed by the registration', async (name, format) => {
    const { deviceId, device } = await fresh(`pack ${name}`);
    await device.overUdp(proxy.coapPort);
    const { payload } = await eventually(async () => {
      const given = await device.pack(format);
      expect(given.code).toBe(Code.Content);
      return given;
    });
    const values = decodeValues(format, payload, '/0', standardModels());
    const account = new Map(values.map(({ path, value }): [string, Scalar] => [path, value]));
    expect(account.get('/0/1/2')).toBe(1);
    const beganMs = Date.now();
    await registers(device.name, securityIn(account));
    const { occurredAt } = await all.fact(deviceId, 'bootstrapped');
    expect(Date.parse(occurredAt)).toBeGreaterThanOrEqual(beganMs);
  });

  it('use the key of a certificate that the listener has got since', async () => {
    const renewed = selfSigned('lanyard.example');
    await all.secured.replaceCertificate(renewed);
    const { deviceId, device } = await fresh('renewed');
    await device.overUdp(proxy.coapPort);
    await begins(device);
    await all.fact(deviceId, 'bootstrapped');
    const renewedKey = createPublicKey(renewed.certificate).export({ format: 'der', type: 'spki' });
    expect(keysIn(device.resources).server).toEqual(renewedKey);
    await registers('renewed', securityIn(device.resources));
  });

  it('do not begin without a private key of the DTLS listener', async () => {
    const keyless = await all.secured.replica('dp-keyless');
    const { deviceId, device } = await fresh('keyless');
    // What is not known yet is answered with 5.03, too.
    await all.secured.system.knows(keyless, 'keyless');
    await device.overUdp(keyless.coapPort);
    await eventually(async () => expect(await device.bootstrap()).toBe('5.03'));
    await eventually(async () => expect((await device.pack()).code).toBe(Code.ServiceUnavailable));
    expect(device.asked).toEqual([]);
    expect(all.of(deviceId)).toEqual([]);
  });
});
