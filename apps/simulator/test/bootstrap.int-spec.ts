import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CoapDatagramEndpoint, type CoapRequest, type CoapResponse, Code, formatCode, type Peer } from '@lanyard/coap';
import { encodePublicKey } from '@lanyard/dtls';
import { contentFormat, encodeValues, parseBootstrapLinks, type ResourceValue } from '@lanyard/lwm2m';
import { eventually } from '@lanyard/testing';
import { type RunningSimulator } from '../src/start.js';
import { DtlsServerTransport } from './dtls-server-transport.js';
import { type Settings, simulate } from './simulate.js';
import { TestServer } from './test-server.js';

const { senmlCbor, tlv, linkFormat } = contentFormat;

/** Resources 2 to 5 of the Security object. */
type Credential = [mode: number, publicKeyOrIdentity: Buffer, serverPublicKey: Buffer, secretKey: Buffer];

/** A bootstrap server over UDP, and an LwM2M server over DTLS whose keys it hands out. */
describe('a device that bootstraps', () => {
  let transport: DtlsServerTransport;
  let server: TestServer;
  let bootstrap: TestServer;
  let running: RunningSimulator;
  let asked: string[];
  let omitted: string | undefined;
  let newCredential: (name: string) => Credential;
  /** Of the LwM2M server, as devices are told. */
  let serverKey: Buffer;
  /** The last one that was created. */
  let publicKey: Buffer;

  const preSharedKey = (name: string): Credential => {
    const key = randomBytes(16);
    transport.keys.set(`own-${name}`, key);
    return [0, Buffer.from(`own-${name}`), Buffer.alloc(0), key];
  };
  const rawPublicKey = (): Credential => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    publicKey = encodePublicKey(privateKey);
    return [1, publicKey, serverKey, privateKey.export({ format: 'der', type: 'pkcs8' })];
  };
  const valuesFor = (name: string): ResourceValue[] => {
    const [mode, publicKeyOrIdentity, serverPublicKey, secretKey] = newCredential(name);
    return [
      { path: '/0/1/0', type: 'string', value: server.url },
      { path: '/0/1/1', type: 'boolean', value: false },
      { path: '/0/1/2', type: 'integer', value: mode },
      { path: '/0/1/3', type: 'opaque', value: publicKeyOrIdentity },
      { path: '/0/1/4', type: 'opaque', value: serverPublicKey },
      { path: '/0/1/5', type: 'opaque', value: secretKey },
      { path: '/0/1/10', type: 'integer', value: 123 },
      { path: '/1/0/0', type: 'integer', value: 123 },
      { path: '/1/0/1', type: 'integer', value: 777 },
      { path: '/1/0/7', type: 'string', value: 'U' },
    ];
  };
  const below = (values: ResourceValue[], path: string): ResourceValue[] =>
    values.filter((value) => value.path.startsWith(`${path}/`) && value.path !== omitted);

  const converse = async (peer: Peer, name: string): Promise<void> => {
    const ask = async (method: number, path: string, rest: object = {}): Promise<Buffer> => {
      const { code, payload } = await bootstrap.send(peer, method, path, rest);
      asked.push(`${method} ${path} ${formatCode(code)}`);
      return payload;
    };
    const links = parseBootstrapLinks((await ask(Code.GET, '', { accept: linkFormat })).toString());
    expect(links.version).toBe('1.1');
    await ask(Code.DELETE, '/0');
    const values = valuesFor(name);
    for (const path of ['/0/1', '/1/0'])
      await ask(Code.PUT, path, { payload: encodeValues(tlv, path, below(values, path)), contentFormat: tlv });
    await ask(Code.POST, '/bs');
  };
  const answer = ({ path, query, peer }: CoapRequest): CoapResponse | undefined => {
    const name = query[0]?.slice(3) ?? '';
    if (path[0] === 'bs') return { code: Code.Changed, onSent: () => void converse(peer, name) };
    if (path[0] !== 'bspack') return undefined;
    return { code: Code.Content, contentFormat: senmlCbor, payload: encodeValues(senmlCbor, '/', valuesFor(name)) };
  };
  const start = async (settings: Settings = {}): Promise<void> => {
    const patience = { ACK_TIMEOUT_MS: 500, RETRANSMISSIONS: 2 };
    running = await simulate({ SERVER: bootstrap.url, DEVICES: 2, BOOTSTRAP: 'request', ...patience, ...settings });
  };

  beforeEach(async () => {
    [asked, omitted] = [[], undefined];
    transport = new DtlsServerTransport();
    newCredential = preSharedKey;
    serverKey = encodePublicKey(transport.certificate.privateKey);
    server = await new TestServer((options) => new CoapDatagramEndpoint({ ...options, transport }), 'coaps').listen();
    bootstrap = await new TestServer().listen();
    bootstrap.onOther = answer;
  });
  afterEach(async () => {
    await running.stop();
    await Promise.all([server.endpoint.close(), bootstrap.endpoint.close()]);
  });

  it('registers with the account and the key that it got, and bootstraps again when it is told to', async () => {
    await start({ DEVICES: 1 });
    await eventually(() => expect(running.tally.registered).toBe(1));
    expect(server.registered('sim-0')[0]?.query).toContain('lt=777');
    expect(asked).toEqual(['1  2.05', '4 /0 2.02', '3 /0/1 2.04', '3 /1/0 2.04', '2 /bs 2.04']);
    expect(await server.ask(server.peerOf('sim-0'), Code.POST, '/1/0/9')).toBe('2.4 ');
    await eventually(() => expect(server.registered('sim-0')).toHaveLength(2));
    expect(running.tally.counts).toMatchObject({ bootstrapped: 2, 'bootstrap-failed': 0 });
  });

  it('finishes too as an LwM2M gateway', async () => {
    await start({ DEVICES: 1, DEVICES_BEHIND: 1 });
    await eventually(() => expect(asked.some((one) => one.startsWith('2 /bs'))).toBe(true));
    expect(asked.at(-1)).toBe('2 /bs 2.04');
    await eventually(() => expect(running.tally.registered).toBe(1));
  });

  it('takes the account in one pack', async () => {
    await start({ BOOTSTRAP: 'pack' });
    await eventually(() => expect(running.tally.registered).toBe(2));
    expect(running.tally.counts.bootstrapped).toBe(2);
  });

  it.each(['request', 'pack'])('registers over DTLS with the raw public key that it got: %s', async (how) => {
    newCredential = rawPublicKey;
    await start({ DEVICES: 1, BOOTSTRAP: how });
    await eventually(() => expect(running.tally.registered).toBe(1));
    expect(transport.proofs).toEqual([{ kind: 'raw-public-key', publicKey }]);
    expect(running.tally.counts).toMatchObject({ bootstrapped: 1, 'bootstrap-failed': 0 });
  });

  it('registers only with the server whose public key it got', async () => {
    newCredential = rawPublicKey;
    const expected = serverKey;
    serverKey = encodePublicKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey);
    await start({ DEVICES: 1, BOOTSTRAP: 'pack', BACK_OFF_MAX_MS: 200 });
    await eventually(() => expect(running.tally.counts.bootstrapped).toBeGreaterThan(1));
    expect([running.tally.registered, transport.proofs]).toEqual([0, []]);
    serverKey = expected;
    await eventually(() => expect(running.tally.registered).toBe(1));
  });

  it('refuses to finish with an account that lacks something', async () => {
    omitted = '/0/1/10';
    await start({ DEVICES: 1 });
    await eventually(() => expect(asked).toContain('2 /bs 4.06'));
    expect(asked).not.toContain('2 /bs 2.04');
    expect(running.tally.registered).toBe(0);
  });

  it('uses the credential of the factory over DTLS, and asks again when its account does not work', async () => {
    const line = new DtlsServerTransport();
    const secure = new TestServer((options) => new CoapDatagramEndpoint({ ...options, transport: line }), 'coaps');
    await secure.listen();
    secure.onOther = answer;
    line.keys.set('factory', Buffer.alloc(16, 7));
    const file = join(mkdtempSync(join(tmpdir(), 'simulator-')), 'credentials');
    writeFileSync(file, `meter factory ${'07'.repeat(16)}\n`);
    await start({
      SERVER: secure.url,
      CREDENTIALS_FILE: file,
      BOOTSTRAP: 'pack',
      UPDATE_SECONDS: 1,
      BACK_OFF_MAX_MS: 200,
    });
    await eventually(() => expect(running.tally.registered).toBe(1));
    server.refusal = { code: Code.Forbidden };
    await eventually(() => expect(running.tally.counts.bootstrapped).toBeGreaterThan(1));
    server.refusal = undefined;
    await eventually(() => expect(running.tally.registered).toBe(1));
    await running.stop();
    await secure.endpoint.close();
  });
});
