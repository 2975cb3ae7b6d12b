import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Application, type Reply } from '../application.js';
import { type RunningSystem, startSystem } from '../constellation.js';
import { fresh, sensor } from '../journeys.js';
import { prepareJava } from '../java-device.js';
import { LeshanDevice } from '../leshan-device.js';
import { eventually } from '../patience.js';

const tlv = 'application/vnd.oma.lwm2m+tlv';
const senmlJson = 'application/senml+json';
const senmlCbor = 'application/senml+cbor';
const lwm2mJson = 'application/vnd.oma.lwm2m+json';

const b64 = (bytes: string | Buffer): string => Buffer.from(bytes as string).toString('base64');

/** `Arrays.hashCode(byte[])` of Java. */
const javaHash = (bytes: Buffer): number => {
  let hash = 1;
  for (const byte of bytes) hash = (Math.imul(31, hash) + ((byte << 24) >> 24)) | 0;
  return hash;
};

describe('every operation and format, with a device on Eclipse Leshan', () => {
  let system: RunningSystem;
  let app: Application;
  let device: LeshanDevice;
  let deviceId: string;

  beforeAll(async () => {
    await prepareJava('leshan');
    system = await startSystem('operations', {});
    app = new Application(system.baseUrl, system.adminKey);
    await app.connects();
    const name = fresh('operations');
    device = await LeshanDevice.start(system.coapUrls[0] as string, name);
    await device.says(/^registered/);
    deviceId = await app.deviceId(name);
  });

  afterAll(async () => {
    await device?.ends();
    app?.closes();
    await system?.stop();
  });

  /** The result comes in the same request. */
  const ask = (method: string, uri: string, more: object = {}): Promise<Reply> =>
    app.call('POST', `/v2/device-requests/${deviceId}?async-id=${fresh('op')}&wait=40`, { method, uri, ...more });
  const asked = async (method: string, uri: string, more: object = {}): Promise<{ status: number; text: string }> => {
    const { json } = await ask(method, uri, more);
    return { ...json, text: Buffer.from(json.payload, 'base64').toString() };
  };
  const echoOf = async (path: string): Promise<{ reported?: { value: string } }> => {
    const { json } = await app.call('GET', `/v3/devices/${deviceId}/echo`);
    return json.resources.find((one: { resource_path: string }) => one.resource_path === path);
  };

  it.each([
    [sensor, 'text/plain'],
    [sensor, 'application/cbor'],
    ['/3303/0', tlv],
    ['/3303/0', senmlJson],
    ['/3303/0', senmlCbor],
    ['/3303', senmlJson],
    ['/3303/0', lwm2mJson],
  ])('reads %s as %s; each resource is in the snapshot', async (path, accept) => {
    device.tell('set 23.5');
    expect(await asked('GET', path, { accept })).toMatchObject({ status: 200, ct: accept });
    await eventually(async () => expect(await echoOf(sensor)).toBeDefined());
  });

  it('a TLV answer is typed by the object model', async () => {
    device.tell('set 24.25');
    await eventually(async () => {
      await asked('GET', '/3303/0', { accept: tlv });
      expect((await echoOf(sensor)).reported?.value).toBe(b64('24.25'));
    });
  });

  it('discovers, and sets write attributes', async () => {
    expect(await asked('PUT', `${sensor}?pmin=1&pmax=3600`)).toMatchObject({ status: 200 });
    const links = await asked('GET', '/3303/0', { accept: 'application/link-format' });
    expect(links).toMatchObject({ status: 200, ct: 'application/link-format' });
    expect(links.text).toContain('</3303/0/5700>');
    expect(links.text).toMatch(/pmin=1/);
  });

  it.each([
    ['PUT', '/3303/0/5750', 'text/plain', b64('one')],
    ['PUT', '/3303/0/5750', tlv, Buffer.from('e3167674776f', 'hex').toString('base64')],
    ['POST', '/3303/0', tlv, Buffer.from('e316767477 6f'.replace(' ', ''), 'hex').toString('base64')],
    ['POST', '/3303/0', senmlJson, b64(JSON.stringify([{ bn: '/3303/0/', n: '5750', vs: 'three' }]))],
    ['PUT', '/3303/0/5750', senmlJson, b64(JSON.stringify([{ n: '/3303/0/5750', vs: 'four' }]))],
  ])('%s %s as %s writes', async (method, uri, contentType, payload) => {
    const since = device.said.length;
    const result = await asked(method, uri, { 'content-type': contentType, 'payload-b64': payload });
    expect(result).toMatchObject({ status: 200 });
    await device.says(/^written 5750 (one|two|three|four)/, { since });
  });

  it('executes, creates and deletes', async () => {
    expect(await asked('POST', '/3303/0/5605')).toMatchObject({ status: 200 });
    await device.says(/^executed 5605/);
    const payload = b64(JSON.stringify([{ n: '/3303/7/5750', vs: 'attic' }]));
    expect(await asked('POST', '/3303', { 'content-type': senmlJson, 'payload-b64': payload })).toMatchObject({
      status: 200,
    });
    const attic = await asked('GET', '/3303/7/5750', { accept: 'text/plain' });
    expect(attic).toMatchObject({ status: 200, text: 'attic' });
    expect(await asked('DELETE', '/3303/7')).toMatchObject({ status: 200 });
    expect(await asked('GET', '/3303/7/5750')).toMatchObject({ status: 404, error: 'RESOURCE_NOT_FOUND' });
  });

  it.each([
    [senmlJson, JSON.stringify([{ n: '/3/0/0' }, { n: sensor }])],
    [senmlJson, JSON.stringify([{ n: '/3303/0' }])],
    [senmlCbor, Buffer.from('81a100672f333330332f30', 'hex')],
  ])('reads several paths at once as %s', async (contentType, pack) => {
    const result = await asked('FETCH', '/', { 'content-type': contentType, 'payload-b64': b64(pack) });
    expect(result).toMatchObject({ status: 200, ct: contentType });
    expect(result.text).toContain('5700');
  });

  it('writes several paths at once; they are desired values then', async () => {
    const payload = b64(
      JSON.stringify([
        { n: '/3303/0/5750', vs: 'both' },
        { n: '/1/0/1', v: 90 },
      ]),
    );
    expect(await asked('IPATCH', '/', { 'content-type': senmlJson, 'payload-b64': payload })).toMatchObject({
      status: 200,
    });
    await device.says(/^written 5750 both/);
    await eventually(async () =>
      expect(await echoOf('/1/0/1')).toMatchObject({ desired: { value: b64('90'), status: 1 } }),
    );
  });

  it('takes a package of 1 MiB in blocks', async () => {
    const bytes = randomBytes(1_048_576);
    const { status, json } = await app.call('PUT', `/v2/endpoints/${deviceId}/5/0/0`, bytes, {
      'content-type': 'application/octet-stream',
    });
    expect(status).toBe(202);
    await device.says(new RegExp(`^package ${bytes.length} ${javaHash(bytes)}$`), { timeoutMs: 240_000 });
    await eventually(async () =>
      expect((await app.call('GET', `/v3/device-requests/${json['async-response-id']}`)).json).toMatchObject({
        state: 'succeeded',
        attempts: 1,
      }),
    );
  });

  it.each([110, 112])('takes what the device sends unasked, in format %i', async (format) => {
    const since = device.said.length;
    device.tell(`set ${format}.5`);
    device.tell(`send ${format} ${sensor}`);
    await device.says(/^sent CONTENT|^sent CHANGED/, { since });
    await eventually(async () => expect((await echoOf(sensor)).reported?.value).toBe(b64(`${format}.5`)));
  });

  it('a firmware result is in the event log once', async () => {
    const { json } = await app.call('PUT', `/v2/subscriptions/${deviceId}/5/0/5`);
    expect(await app.answer(json['async-response-id'])).toMatchObject({ status: 200 });
    device.tell('firmware 1');
    const events = async (code: string): Promise<unknown[]> =>
      (await app.call('GET', `/v3/device-events?device_id=${deviceId}&event_type=${code}`)).json.data;
    await eventually(async () => expect(await events('UPD2_OK_18')).toHaveLength(1));
    device.tell('firmware 8');
    await eventually(async () => expect(await events('UPD4_FAIL_40')).toHaveLength(1));
    expect(await events('UPD2_OK_18')).toHaveLength(1);
  });
});
