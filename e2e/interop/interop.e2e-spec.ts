import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { Application } from '../application.ts';
import { prepareWakaama } from '../../tools/lanyard/foreign-programs.ts';
import { LibcoapDevice, prepareLibcoap, type PreSharedKey } from '../compiled-device.ts';
import { type RunningSystem, startSystem, tcpPort, udpPort } from '../system.ts';
import { livesItsLife, startUntilRegistered } from '../foreign-life.ts';
import type { ForeignDevice } from '../java-device.ts';
import { fresh, resultOf, sensor } from '../journeys.ts';
import { WakaamaDevice } from '../wakaama-device.ts';
import { type CoapAnswer, coapClient, type CoapRequest } from './coap-client.ts';
import { foreignSdks } from './foreign-sdks.ts';

const coapClientProgram = 'coap-client-openssl';

/** Bytes of a value that goes in several blocks. */
const writtenBytes = 20_000;

describe('devices that are compiled here, and clients of others', () => {
  let system: RunningSystem;
  let app: Application;
  let udp: number;
  let tcp: number;
  let tls: number;
  let dtls: number;
  /** Beside the others: a client of Wakaama updates its registration only every 15 s, for which its test waits. */
  let wakaama: { udp: Promise<void>; dtls: Promise<void> };

  beforeAll(async () => {
    await prepareLibcoap();
    await prepareWakaama();
    tcp = await tcpPort(0);
    system = await startSystem('interop', {
      without: ['campaigns'],
      env: { DEVICE_PROXY_COAP_TCP_NOSEC_ENABLED: 'true', DEVICE_PROXY_COAP_TCP_PORT: String(tcp) },
    });
    const { coapUrls, coapsUrls, coapsTcpUrls } = system;
    [udp = 0, dtls = 0, tls = 0] = [coapUrls, coapsUrls, coapsTcpUrls].map(([url = '']) => Number(new URL(url).port));
    app = new Application(system.baseUrl, system.adminKey);
    await app.connects();
    wakaama = { udp: wakaamaOverUdp(), dtls: wakaamaOverDtls() };
    for (const story of Object.values(wakaama)) story.catch(() => undefined);
  });

  afterAll(async () => {
    app?.closes();
    await system?.stop();
  });

  const whileItRuns = async (device: ForeignDevice, act: () => Promise<void>): Promise<void> => {
    try {
      await act();
    } finally {
      await device.ends();
    }
  };

  /** The key of a device, given over REST; 16 bytes that are text. */
  const keyOf = async (name: string): Promise<PreSharedKey & { path: string }> => {
    const key = Buffer.from(randomBytes(12).toString('base64url')).toString('hex');
    return { ...(await app.credentialOf(name, { kind: 'psk', key })), key };
  };

  const wakaamaOverUdp = async (): Promise<void> => {
    const name = fresh('wakaama');
    const device = await WakaamaDevice.start(udp, name, await udpPort(0));
    await whileItRuns(device, async () => {
      await device.says(/^registered/);
      const execute = { method: 'POST', uri: '/3303/0/5605' };
      expect(await resultOf(app, await app.deviceId(name), execute)).toMatch(/^200/);
      await device.says(/^executed 5605$/);
      await livesItsLife(app, device, { name, writtenBytes, updatesWhenTold: false });
    });
  };

  const wakaamaOverDtls = async (): Promise<void> => {
    const name = fresh('wakaama-dtls');
    const psk = await keyOf(name);
    const localPort = await udpPort(0);
    const device = await startUntilRegistered(() => WakaamaDevice.start(dtls, name, localPort, psk));
    await whileItRuns(device, () => livesItsLife(app, device, { name, writtenBytes, updatesWhenTold: false }));
  };

  it.each(['udp', 'tcp'] as const)('libcoap over %s', async (transport) => {
    const name = fresh(`libcoap-${transport}`);
    const device = await LibcoapDevice.start(transport, transport === 'udp' ? udp : tcp, name);
    await whileItRuns(device, () => livesItsLife(app, device, { name, writtenBytes }));
  });

  it.each(['tls', 'dtls'] as const)('libcoap over %s with a pre-shared key', async (transport) => {
    const name = fresh(`libcoap-${transport}`);
    const psk = await keyOf(name);
    const port = transport === 'tls' ? tls : dtls;
    const device = await startUntilRegistered(() => LibcoapDevice.start(transport, port, name, psk));
    await whileItRuns(device, () => livesItsLife(app, device, { name, writtenBytes }));
  });

  it.each(['tls', 'dtls'] as const)('libcoap over %s is out when its key is withdrawn', async (transport) => {
    const name = fresh(`libcoap-withdrawn-${transport}`);
    const psk = await keyOf(name);
    const start = () => LibcoapDevice.start(transport, transport === 'tls' ? tls : dtls, name, psk);
    const device = await startUntilRegistered(start);
    await whileItRuns(device, async () => {
      const deviceId = await app.deviceId(name);
      const since = device.said.length;
      expect((await app.call('DELETE', psk.path)).status).toBe(204);
      await device.says(/^not connected/, { since });
      await app.receives('de-registrations', (d) => d === deviceId);
    });
    const again = await start();
    await whileItRuns(again, async () => void (await again.says(/^not connected/)));
  });

  it('Wakaama over UDP', () => wakaama.udp);

  it('Wakaama over DTLS with a pre-shared key', () => wakaama.dtls);

  const asks = (url: string, more: Omit<CoapRequest, 'url'>): Promise<CoapAnswer> =>
    coapClient(coapClientProgram, { ...more, url });

  /** Registers with a list of several blocks, updates and leaves: each from a connection of its own. */
  const visits = async (server: string, name: string, more: { psk?: PreSharedKey } = {}): Promise<void> => {
    const links = Array.from({ length: 150 }, (_, i) => `</3303/${i}>`).join(',');
    const registration = { method: 'post', payload: links, contentFormat: 40, ...more } as const;
    const registered = await eventually(async () => {
      const answer = await asks(`${server}/rd?ep=${name}&lt=300&lwm2m=1.1`, registration);
      expect(answer.code).toBe('2.01');
      return answer;
    });
    const deviceId = await app.deviceId(name);
    const { resources } = await app.receives('registrations', (r) => r.ep === deviceId);
    expect(resources.map((r: { path: string }) => r.path)).toContain('/3303/149');
    const location = `${server}/${registered.location}`;
    expect(await asks(location, { method: 'post', ...more })).toMatchObject({ code: '2.04' });
    await app.receives('reg-updates', (r) => r.ep === deviceId);
    expect(await asks(location, { method: 'delete', ...more })).toMatchObject({ code: '2.02' });
    await app.receives('de-registrations', (d) => d === deviceId);
    expect(await asks(location, { method: 'post', ...more })).toMatchObject({ code: '4.04' });
  };

  it('coap-client over UDP', () => visits(`coap://127.0.0.1:${udp}`, fresh('coap-client-udp')));

  it('coap-client over TCP', () => visits(`coap+tcp://127.0.0.1:${tcp}`, fresh('coap-client-tcp')));

  it.each(['tls', 'dtls'] as const)('coap-client over %s; the name of another device is refused', async (transport) => {
    const name = fresh(`coap-client-${transport}`);
    const psk = await keyOf(name);
    const server = transport === 'tls' ? `coaps+tcp://127.0.0.1:${tls}` : `coaps://127.0.0.1:${dtls}`;
    await visits(server, name, { psk });
    const foreign = { method: 'post', payload: '</3303/0>', contentFormat: 40, psk } as const;
    expect(await asks(`${server}/rd?ep=${fresh('another')}&lt=300&lwm2m=1.1`, foreign)).toMatchObject({ code: '4.03' });
  });

  it('coap-client over UDP sends values unasked', async () => {
    const name = fresh('coap-client-send');
    const from = await udpPort(0);
    const server = `coap://127.0.0.1:${udp}`;
    const links = { method: 'post', payload: '</3303/0>', contentFormat: 40, from } as const;
    expect(await asks(`${server}/rd?ep=${name}&lt=300&lwm2m=1.1`, links)).toMatchObject({ code: '2.01' });
    const pack = {
      method: 'post',
      payload: JSON.stringify([{ n: sensor, v: 23.5 }]),
      contentFormat: 110,
      from,
    } as const;
    expect(await asks(`${server}/dp`, pack)).toMatchObject({ code: '2.04' });
    const deviceId = await app.deviceId(name);
    await eventually(async () => {
      const { json } = await app.call('GET', `/v3/devices/${deviceId}/echo`);
      expect(json.resources).toContainEqual(
        expect.objectContaining({
          resource_path: sensor,
          reported: expect.objectContaining({ value: Buffer.from('23.5').toString('base64') }),
        }),
      );
    });
  });

  describe('software development kits of the compatible service', () => foreignSdks(() => ({ system, app })));
});
