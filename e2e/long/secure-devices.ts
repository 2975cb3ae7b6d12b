import { readFileSync } from 'node:fs';
import { connect, type ConnectionOptions } from 'node:tls';
import { beforeAll, expect, it } from '@jest/globals';
import { type CertificateAuthority, eventually } from '@lanyard/testing';
import type { Application, Running } from '../application.ts';
import { CaliforniumDevice } from '../californium-device.ts';
import { livesItsLife } from '../foreign-life.ts';
import { fresh, sensor, writable, writes } from '../journeys.ts';
import { prepareJava } from '../../tools/lanyard/java-programs.ts';
import { TlsDevice, type TlsFiles } from '../tls-device.ts';

/** The code of the first message of the service to a device that presents this; rejects when it closes without one. */
const greeting = (port: number, shown: ConnectionOptions): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const socket = connect({
      host: '127.0.0.1',
      port,
      maxVersion: 'TLSv1.2',
      checkServerIdentity: () => undefined,
      ...shown,
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('closed without a word')));
    socket.once('data', (bytes) => {
      resolve(bytes[1]);
      socket.destroy();
    });
  });

/** 7.01: the capabilities of the service. */
const capabilities = 0xe1;

const withKey = (identity: string, keyHex: string): ConnectionOptions => ({
  ciphers: 'PSK-AES128-CCM8:@SECLEVEL=0',
  pskCallback: () => ({ identity, psk: Buffer.from(keyHex, 'hex') }),
});

const withCertificate = (files: TlsFiles): ConnectionOptions => ({
  cert: readFileSync(files.certificate),
  key: readFileSync(files.privateKey),
  ca: readFileSync(files.serverCertificate),
});

/** Bytes of a value that goes in several blocks. */
const writtenBytes = 20_000;

interface Listening extends Running {
  /** Of the listener over TCP without TLS. */
  plainPort: number;
  /** An issuer that no account trusts yet. */
  authority: CertificateAuthority;
  /** Files of a certificate of the issuer. */
  filesOf: (name: string) => TlsFiles;
}

/** The system has a certificate for TLS, and takes devices over TCP without TLS. */
export const overTcpAndTls = (given: () => Listening): void => {
  let app: Application;
  let port: number;
  let plainPort: number;
  let authority: CertificateAuthority;
  let filesOf: Listening['filesOf'];

  beforeAll(async () => {
    await prepareJava('java-coap');
    ({ app, plainPort, authority, filesOf } = given());
    port = Number(new URL(given().system.coapsTcpUrls[0] as string).port);
  });

  it('a device of a trusted issuer enrols, is observed and written, and is out when the issuer is', async () => {
    const { json: key } = await app.call('GET', '/v3/api-keys/me');
    const trusted = await app.call('POST', '/v3/trusted-certificates', {
      certificate: authority.certificate,
      signature: authority.prove(key.account_id),
      enrollment_mode: true,
    });
    expect(trusted.status).toBe(201);
    const name = fresh('java-coap');
    const files = filesOf(name);
    await eventually(async () => expect(await greeting(port, withCertificate(files))).toBe(capabilities));
    const device = await TlsDevice.start(port, name, files);
    try {
      await device.says(/^registered/);
      const deviceId = await app.deviceId(name);
      await app.call('PUT', `/v2/subscriptions/${deviceId}${sensor}`);
      await device.says(/^observed/);
      device.tell('set 21.5');
      await eventually(() => expect(app.values(sensor, deviceId)).toContain('21.5'));
      // More than its messages take: several blocks at once.
      await writes(app, deviceId, writable, 'x'.repeat(20_000));
      await device.says(/^written 20000/);
      device.tell('ping');
      await device.says(/^pong true/);
      device.tell('update');
      await device.says(/^updated C204/);
      expect((await app.call('DELETE', `/v3/trusted-certificates/${trusted.json.id}`)).status).toBe(204);
      await eventually(async () => {
        const since = device.said.length;
        device.tell('update');
        expect(await device.says(/^failed|^updated/, { since })).toMatch(/^failed/);
      });
    } finally {
      await device.ends();
    }
  });

  it('a key made over REST opens a connection until it is deleted; another one is in the event log', async () => {
    const { deviceId, path, identity, key } = await app.credentialOf(fresh('psk'));
    const right = withKey(identity, key);
    await eventually(async () => expect(await greeting(port, right)).toBe(capabilities));
    await expect(greeting(port, withKey(identity, '00'.repeat(16)))).rejects.toThrow();
    await eventually(async () => {
      const { json } = await app.call('GET', `/v3/device-events?device_id=${deviceId}&event_type=400`);
      expect(json.data).toHaveLength(1);
    });
    expect((await app.call('DELETE', path)).status).toBe(204);
    await eventually(() => expect(greeting(port, right)).rejects.toThrow());
  });

  it('a device on Californium lives its life over TCP', async () => {
    const name = fresh('californium-tcp');
    const device = await CaliforniumDevice.start('tcp', plainPort, name);
    try {
      await livesItsLife(app, device, { name, writtenBytes });
    } finally {
      await device.ends();
    }
  });

  it('a device on Californium lives its life over TLS, with a certificate that is its credential', async () => {
    const name = fresh('californium-tls');
    const files = filesOf(name);
    await app.credentialOf(name, { kind: 'certificate', certificate: readFileSync(files.certificate, 'utf8') });
    await eventually(async () => expect(await greeting(port, withCertificate(files))).toBe(capabilities));
    const device = await CaliforniumDevice.start('tls', port, name, { files });
    try {
      await livesItsLife(app, device, { name, writtenBytes });
    } finally {
      await device.ends();
    }
  });
};
