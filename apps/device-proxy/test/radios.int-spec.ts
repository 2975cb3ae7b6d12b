import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import { type DeviceOptions, eventually, type Thermometer, withKey } from '@lanyard/testing';
import { keyHex, SecureTestSystem } from './secure-test-system.js';
import { newKey } from './test-system.js';

/** Of the reported text: several blocks of the device's size, one of the listener's. */
const textBytes = 200;

describe.each(['UDP', 'DTLS'])('the radio of a device over %s', (over) => {
  let secured: SecureTestSystem;

  beforeAll(async () => {
    secured = await SecureTestSystem.create(`radios-${over}`, 'DTLS');
  });
  afterAll(() => secured.close());

  /** A registered thermometer. */
  const thing = async (
    name: string,
    dtls: DeviceOptions['dtls'] = {},
  ): Promise<{ deviceId: string; one: Thermometer }> => {
    const { proxy, system } = secured;
    const deviceId = newId();
    await system.lifecycle(deviceId, name, 'created');
    await system.credential({ deviceId, identity: `id-${name}`, key: keyHex });
    const server = over === 'UDP' ? {} : { server: `coaps://127.0.0.1:${proxy.dtlsPort}` };
    const one = system.thing(proxy, name, { ...server, dtls, security: withKey(`id-${name}`, keyHex) });
    await eventually(() => one.device.register());
    return { deviceId, one };
  };

  const write = async (deviceId: string, asyncId: string): Promise<void> => {
    const { proxy, system } = secured;
    const payload = Buffer.from('x'.repeat(textBytes)).toString('base64');
    const body = { method: 'PUT', uri: '/3341/0/5527', 'content-type': 'text/plain', 'payload-b64': payload };
    const path = `/v2/device-requests/${deviceId}?async-id=${asyncId}`;
    await system.call(proxy, newKey(system.accountId), 'POST', path, body);
    expect((await system.result(asyncId)).value).toMatchObject({ outcome: 'succeeded', item: { status: 200 } });
  };

  /** Datagrams that the listener has sent over this transport. */
  const sent = async (): Promise<number> => {
    const text = await (await fetch(`${secured.proxy.url}/metrics`)).text();
    const scheme = over === 'UDP' ? 'coap' : 'coaps';
    return Number(
      new RegExp(`coap_events_total\\{event="datagram-sent",scheme="${scheme}"[^}]*\\} (\\d+)`).exec(text)?.[1],
    );
  };

  let writes = 0;
  /** A write takes so many datagrams. On a busy machine some are sent again: then another write is counted. */
  const sends = (deviceId: string, datagrams: number): Promise<void> =>
    eventually(async () => {
      const since = await sent();
      await write(deviceId, `write-${writes++}`);
      expect((await sent()) - since).toBe(datagrams);
    });

  it('takes blocks of the size that the directory says, from the next message on', async () => {
    const { system } = secured;
    const { deviceId, one } = await thing('blocks');
    await sends(deviceId, 1);
    await system.lifecycle(deviceId, 'blocks', 'changed', { blockBytes: 32 });
    await sends(deviceId, Math.ceil(textBytes / 32));
    expect(one.text).toBe('x'.repeat(textBytes));
  });

  if (over === 'DTLS')
    it('takes blocks that fit into the records that the device accepts', async () => {
      const { deviceId, one } = await thing('small-records', { recordSizeLimit: 96 });
      await sends(deviceId, Math.ceil(textBytes / 32));
      expect(one.text).toBe('x'.repeat(textBytes));
    });
});
