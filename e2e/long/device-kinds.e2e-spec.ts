import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { certificateAuthority, eventually, selfSigned } from '@lanyard/testing';
import { dtlsEventsAt } from '../../tools/testing/metrics.ts';
import { UdpBalancer } from '../../tools/testing/udp-balancer.ts';
import { Application } from '../application.ts';
import { CaliforniumDevice } from '../californium-device.ts';
import type { PreSharedKey } from '../compiled-device.ts';
import { livesItsLife, startUntilRegistered } from '../foreign-life.ts';
import { prepareJava } from '../../tools/lanyard/java-programs.ts';
import type { ForeignDevice } from '../java-device.ts';
import { fresh } from '../journeys.ts';
import { LeshanDevice } from '../leshan-device.ts';
import { type RunningSystem, startSystem, tcpPort } from '../system.ts';
import type { RawKeyFiles, TlsFiles } from '../tls-device.ts';
import { bootstrapping } from './bootstrap.ts';
import { overTcpAndTls } from './secure-devices.ts';
import { simulatedFleet } from './simulated-fleet.ts';

/** Bytes of a value that goes in several blocks. */
const writtenBytes = 20_000;
const keyBytes = 16;

type Credential = { psk: PreSharedKey } | { files: TlsFiles } | { raw: RawKeyFiles };

interface Kind {
  start: Start;
  /** What it says when it is written; without: how many bytes. */
  written?: RegExp;
}

type Start = (port: number, name: string, credential: Credential) => Promise<ForeignDevice>;

const californium: Start = (port, name, credential) => CaliforniumDevice.start('dtls', port, name, credential);
const leshan: Start = (port, name, credential) =>
  LeshanDevice.start(
    `coaps://127.0.0.1:${port}`,
    name,
    'files' in credential ? { x509: credential.files } : credential,
  );

/** One system for all: those over DTLS, and the groups at the end. */
describe('devices of every kind', () => {
  let system: RunningSystem;
  let app: Application;
  let folder: string;
  let port: number;
  let plainPort: number;
  const server = selfSigned('lanyard');
  const authority = certificateAuthority('Factory CA');

  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'lanyard-e2e-devices-'));
    await prepareJava('californium');
    await prepareJava('leshan');
    plainPort = await tcpPort(0);
    const certificate = file('server.crt', server.certificate);
    const privateKey = file('server.key', server.privateKey);
    system = await startSystem('device-kinds', {
      without: ['campaigns'],
      env: {
        DEVICE_PROXY_COAP_DTLS_CERTIFICATE_FILE: certificate,
        DEVICE_PROXY_COAP_DTLS_PRIVATE_KEY_FILE: privateKey,
        DEVICE_PROXY_COAP_TLS_CERTIFICATE_FILE: certificate,
        DEVICE_PROXY_COAP_TLS_PRIVATE_KEY_FILE: privateKey,
        DEVICE_PROXY_COAP_TCP_NOSEC_ENABLED: 'true',
        DEVICE_PROXY_COAP_TCP_PORT: String(plainPort),
      },
    });
    port = Number(new URL(system.coapsUrls[0] as string).port);
    app = new Application(system.baseUrl, system.adminKey);
    await app.connects();
  });

  afterAll(async () => {
    app?.closes();
    rmSync(folder, { recursive: true, force: true });
    await system?.stop();
  });

  const keyOf = async (name: string, more: object = {}): Promise<PreSharedKey & { deviceId: string }> => {
    const key = randomBytes(keyBytes).toString('hex');
    return { ...(await app.credentialOf(name, { kind: 'psk', key, ...more })), key };
  };

  const filesOf = (name: string): TlsFiles => {
    const { certificate, privateKey } = authority.issue(name);
    return {
      certificate: file(`${name}.crt`, certificate),
      privateKey: file(`${name}.key`, privateKey),
      serverCertificate: join(folder, 'server.crt'),
    };
  };

  const certificateOf = async (name: string): Promise<TlsFiles> => {
    const files = filesOf(name);
    await app.credentialOf(name, { kind: 'certificate', certificate: readFileSync(files.certificate, 'utf8') });
    return files;
  };

  const pem = (key: KeyObject): string =>
    key.export({ format: 'pem', type: key.type === 'private' ? 'pkcs8' : 'spki' }).toString();

  const rawKeyOf = async (name: string): Promise<RawKeyFiles> => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    await app.credentialOf(name, { kind: 'raw_public_key', public_key: pem(publicKey) });
    return {
      publicKey: file(`${name}.pub`, pem(publicKey)),
      privateKey: file(`${name}.key`, pem(privateKey)),
      serverPublicKey: file('server.pub', pem(createPublicKey(server.certificate))),
    };
  };

  const credentials = {
    'a pre-shared key': async (name: string): Promise<Credential> => ({ psk: await keyOf(name) }),
    'a certificate': async (name: string): Promise<Credential> => ({ files: await certificateOf(name) }),
    'a raw public key': async (name: string): Promise<Credential> => ({ raw: await rawKeyOf(name) }),
  };

  const events = (event: string): Promise<number> => dtlsEventsAt(system.unit('device-proxy-0').unit.address, event);

  const lives = async (name: string, { start, written }: Kind, credential: Credential): Promise<void> => {
    const nat = await new UdpBalancer([port]).start();
    const device = await startUntilRegistered(() => start(nat.port, name, credential));
    try {
      const before = [await events('handshake-completed'), await events('connection-moved')];
      nat.rebind();
      const since = device.said.length;
      device.tell('update');
      await device.says(/^updated/, { since });
      await livesItsLife(app, device, { name, writtenBytes, ...(written && { written }) });
      expect([await events('handshake-completed'), await events('connection-moved')]).toEqual([
        before[0],
        (before[1] ?? 0) + 1,
      ]);
    } finally {
      await device.ends();
      nat.stop();
    }
  };

  it.each([
    { who: 'Californium', kind: { start: californium }, what: 'a pre-shared key' },
    { who: 'Californium', kind: { start: californium }, what: 'a certificate' },
    { who: 'Californium', kind: { start: californium }, what: 'a raw public key' },
    { who: 'Leshan', kind: { start: leshan, written: /^written 5750 x{20000}$/ }, what: 'a pre-shared key' },
    { who: 'Leshan', kind: { start: leshan, written: /^written 5750 x{20000}$/ }, what: 'a certificate' },
    { who: 'Leshan', kind: { start: leshan, written: /^written 5750 x{20000}$/ }, what: 'a raw public key' },
  ] as const)('$who with $what lives its life behind a NAT that forgets it', async ({ who, kind, what }) => {
    const name = fresh(`dtls-${who.toLowerCase()}`);
    await lives(name, kind, await credentials[what](name));
  });

  it('a wrong key is refused, and is in the event log', async () => {
    const name = fresh('dtls-wrong');
    const { deviceId, ...psk } = await keyOf(name);
    const right = await startUntilRegistered(() => californium(port, name, { psk }));
    await right.ends();
    const wrong = await californium(port, name, { psk: { ...psk, key: '00'.repeat(keyBytes) } });
    await wrong.says(/^not connected/);
    await wrong.ends();
    await eventually(async () => {
      const { json } = await app.call('GET', `/v3/device-events?device_id=${deviceId}&event_type=400`);
      expect(json.data).toHaveLength(1);
    });
  });

  it.each(['psk', 'raw_public_key'])('Leshan bootstraps over DTLS, and registers with its new %s', async (kind) => {
    const name = fresh('dtls-bootstrap');
    const { deviceId, ...psk } = await keyOf(name, { service: 'bootstrap' });
    const url = `coaps://127.0.0.1:${port}`;
    const account = { server_uri: url, credential_kind: kind, lifetime_seconds: 77 };
    const profile = { scope: 'device', device_id: deviceId, name, ...account };
    expect((await app.call('POST', '/v3/bootstrap-profiles', profile)).status).toBe(201);
    const device = await LeshanDevice.start(url, name, { bootstrap: true, psk });
    try {
      await device.says(/^bootstrapped/);
      await device.says(/^registered/, { since: device.said.indexOf('bootstrapped') });
      await app.receives('registrations', ({ ep }) => ep === deviceId);
      const { json } = await app.call('GET', `/v3/devices/${deviceId}/credentials`);
      const told = json.data.map((one: { service: string; kind: string }) => `${one.service} ${one.kind}`).sort();
      expect(told).toEqual(['bootstrap psk', `lwm2m ${kind}`]);
      device.tell('update');
      await device.says(/^updated/);
    } finally {
      await device.ends();
    }
    // The key of the factory does not register.
    const early = await leshan(port, name, { psk });
    expect(await early.says(/^registered|^refused/)).toMatch(/^refused/);
    await early.ends();
    expect(readFileSync(join(system.logs, 'device-proxy-0.log'), 'utf8')).not.toContain(psk.key);
  });

  describe('over TCP and TLS', () => overTcpAndTls(() => ({ system, app, plainPort, authority, filesOf })));
  describe('that bootstrap', () => bootstrapping(() => ({ system, app })));
  describe('in a simulated fleet', () => simulatedFleet(() => ({ system, app })));
});
