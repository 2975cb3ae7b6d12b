import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Code } from '@lanyard/coap';
import { contentFormat, decodeValues, standardModels } from '@lanyard/lwm2m';
import { eventually, withKey } from '@lanyard/testing';
import { BootstrapTestSystem } from './bootstrap-test-system.js';

describe('Bootstrap-Pack', () => {
  let all: BootstrapTestSystem;

  beforeAll(async () => {
    all = await BootstrapTestSystem.create('pack');
  });
  afterEach(() => all.closeDevices());
  afterAll(() => all.close());

  const contentOf = (payload: Buffer, format = contentFormat.senmlCbor as number): Record<string, unknown> =>
    Object.fromEntries(decodeValues(format, payload, '/0', standardModels()).map(({ path, value }) => [path, value]));

  it.each([
    ['SenML CBOR', undefined, contentFormat.senmlCbor],
    ['SenML JSON', contentFormat.senmlJson, contentFormat.senmlJson],
  ])('has the account in %s, and is confirmed by the registration', async (name, accept, format) => {
    const { deviceId, device } = await all.fresh(`pack ${name}`);
    const answer = await eventually(async () => {
      const given = await device.pack(accept);
      expect(given.code).toBe(Code.Content);
      return given;
    });
    expect(answer.contentFormat).toBe(format);
    const account = contentOf(answer.payload, format);
    expect(account).toMatchObject({ '/0/1/0': 'coaps+tcp://lwm2m.example:5684', '/0/1/2': 0, '/1/0/0': 123 });
    const [identity, key] = [account['/0/1/3'], account['/0/1/5']] as [Buffer, Buffer];
    const told = all.ofBootstrap(identity.toString());
    expect(told.map(({ change, interface: how }) => [change, how])).toEqual([['started', 'bspack']]);
    const registering = all.device(device.name);
    await registering.overStream(all.proxy.tlsPort, withKey(identity.toString(), key.toString('hex')));
    expect(await registering.register()).toBe('2.01');
    const { bootstrapId } = await all.fact(deviceId, 'bootstrapped');
    expect(bootstrapId).toBe(identity.toString());
  });

  it('without security is done when it was sent', async () => {
    const { deviceId, device } = await all.fresh('pack-open', { securityMode: 'none', serverUri: 'coap://127.0.0.1' });
    await eventually(async () => expect((await device.pack()).code).toBe(Code.Content));
    await all.fact(deviceId, 'bootstrapped');
  });

  it('takes instances beside the account of the bootstrap server that the device names', async () => {
    const { device } = await all.fresh('pack-acc', { securityMode: 'none', serverUri: 'coap://127.0.0.1' });
    const answer = await eventually(async () => {
      const given = await device.pack(undefined, [`ep=${device.name}`, 'acc=</0/1>']);
      expect(given.code).toBe(Code.Content);
      return given;
    });
    expect(contentOf(answer.payload)).toMatchObject({ '/0/0/0': 'coap://127.0.0.1', '/1/0/0': 123 });
    expect((await device.pack(undefined, [`ep=${device.name}`, 'acc=0/1'])).code).toBe(Code.BadRequest);
    const elsewhere = await device.pack(undefined, [`ep=${device.name}`, 'acc=</21/0>']);
    expect(contentOf(elsewhere.payload)).toMatchObject({ '/0/1/0': 'coap://127.0.0.1', '/1/0/0': 123 });
  });

  it.each([0, 40, 11_542])('is not available in Content-Format %d', async (format) => {
    const { device } = await all.fresh(`pack in ${format}`);
    await eventually(async () => expect((await device.pack(format)).code).toBe(Code.NotAcceptable));
  });
});
