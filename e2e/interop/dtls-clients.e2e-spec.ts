import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { prepareNodeDtls, preparePion } from '../../tools/lanyard/foreign-programs.ts';
import { root } from '../../tools/lanyard/project.ts';
import { UdpBalancer } from '../../tools/testing/udp-balancer.ts';
import { type Connect, gnutls, nodeDtls, openssl, pion, type Presented, type Suite, suites } from '../dtls/clients.ts';
import { CoapsServer } from '../dtls/coaps-server.ts';
import { Credentials } from '../dtls/credentials.ts';
import { CoapOverLine, type ForeignLine } from '../dtls/line.ts';
import { coapClient } from './coap-client.ts';

/** Set by tools/test.ts where these are there. */
const aiocoap = process.env['LANYARD_AIOCOAP'];
const hasGo = process.env['LANYARD_GO'] !== undefined;

const body = Buffer.alloc(20_000, 'x');
const pionIdBytes = 6;
const serverIdBytes = 8;
const handshakeFailure = 40;
const decryptError = 51;

type Kind = 'psk' | 'certificate' | 'rawPublicKey';

interface Conversation {
  client: string;
  connect: Connect;
  suite: Suite;
  kind: Kind;
}

const conversations: Conversation[] = [
  { client: 'OpenSSL', connect: openssl, suite: 'pskCcm8', kind: 'psk' },
  { client: 'OpenSSL', connect: openssl, suite: 'pskCbc', kind: 'psk' },
  { client: 'OpenSSL', connect: openssl, suite: 'ecdheCcm8', kind: 'certificate' },
  { client: 'OpenSSL', connect: openssl, suite: 'ecdheGcm', kind: 'certificate' },
  { client: 'GnuTLS', connect: gnutls, suite: 'pskCcm8', kind: 'psk' },
  { client: 'GnuTLS', connect: gnutls, suite: 'pskCbc', kind: 'psk' },
  { client: 'GnuTLS', connect: gnutls, suite: 'ecdheCcm8', kind: 'certificate' },
  { client: 'GnuTLS', connect: gnutls, suite: 'ecdheGcm', kind: 'certificate' },
  { client: 'GnuTLS', connect: gnutls, suite: 'ecdheCcm8', kind: 'rawPublicKey' },
  { client: 'node-dtls-client', connect: nodeDtls, suite: 'pskCcm8', kind: 'psk' },
];

interface Refusal {
  client: string;
  why: string;
  connect: Connect;
  suite: Suite;
  shown: (credentials: Credentials) => Presented;
  /** Of `HandshakeFailed`. */
  failure: object;
}

const wrongKey = { why: 'a wrong key', shown: ({ wrongPsk }: Credentials) => wrongPsk };
const noEncryptThenMac = { why: 'CBC without encrypt-then-MAC', shown: ({ psk }: Credentials) => psk };

const refusals: Refusal[] = [
  { client: 'OpenSSL', connect: openssl, suite: 'pskCcm8', ...wrongKey, failure: { reason: 'wrong-key' } },
  { client: 'GnuTLS', connect: gnutls, suite: 'pskCbc', ...wrongKey, failure: { reason: 'wrong-key' } },
  { client: 'node-dtls-client', connect: nodeDtls, suite: 'pskCcm8', ...wrongKey, failure: { reason: 'timeout' } },
  {
    client: 'OpenSSL',
    why: 'the certificate of another issuer',
    connect: openssl,
    suite: 'ecdheGcm',
    shown: ({ foreignCertificate }) => foreignCertificate,
    failure: { reason: 'not-authenticated' },
  },
  {
    client: 'GnuTLS',
    why: 'a public key without its private key',
    connect: gnutls,
    suite: 'ecdheGcm',
    shown: ({ stolenPublicKey }) => stolenPublicKey,
    failure: { reason: 'refused', alert: decryptError },
  },
  {
    client: 'node-dtls-client',
    ...noEncryptThenMac,
    connect: nodeDtls,
    suite: 'pskCbc',
    failure: { reason: 'refused', alert: handshakeFailure },
  },
];

describe('DTLS clients of others', () => {
  let credentials: Credentials;
  let server: CoapsServer;
  const ends: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    if (hasGo) await preparePion();
    await prepareNodeDtls();
    credentials = new Credentials();
  });
  afterAll(() => credentials?.remove());

  beforeEach(async () => {
    server = await CoapsServer.start(credentials.accepted);
  });
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
    await server.stop();
  });

  const speaks = async (line: Promise<ForeignLine>): Promise<CoapOverLine> => {
    const coap = await CoapOverLine.on(await line);
    ends.push(() => coap.close());
    return coap;
  };

  /** Asks, writes a body in blocks, and reads it. */
  const converses = async (coap: CoapOverLine): Promise<void> => {
    expect((await coap.get('hello')).payload.toString()).toBe('hello');
    await coap.put('body', body);
    expect((await coap.get('body')).payload.equals(body)).toBe(true);
  };

  const closes = async (coap: { close(): Promise<void> }): Promise<void> => {
    await coap.close();
    await eventually(() => expect(server.transport.closed).toEqual(['close-notify']));
  };

  it.each(conversations)('$client converses over $suite with $kind, and closes', async ({ connect, suite, kind }) => {
    const coap = await speaks(connect(server.target(), suite, credentials[kind]));
    await converses(coap);
    expect(server.transport.connected.map(({ cipherSuite, connectionId }) => [cipherSuite, connectionId])).toEqual([
      [suites[suite], undefined],
    ]);
    await closes(coap);
  });

  it.each([
    { suite: 'pskCcm8', kind: 'psk' },
    { suite: 'ecdheGcm', kind: 'certificate' },
  ] as const)('OpenSSL resumes a session of $suite', async ({ suite, kind }) => {
    const file = credentials.pathOf(`session-${suite}`);
    for (const session of [{ keeps: file }, { resumes: file }]) {
      const coap = await speaks(openssl(server.target(), suite, { ...credentials[kind], ...session }));
      await converses(coap);
      await coap.close();
    }
    // A full handshake would have left another one.
    expect([server.transport.connected.length, server.transport.dtls.gauges().sessions]).toEqual([2, 1]);
  });

  const fails = async ({ connect, suite, shown, failure }: Refusal): Promise<void> => {
    const coap = await speaks(connect(server.target(), suite, shown(credentials)));
    const answer = coap.get('hello').catch(() => undefined);
    await eventually(() => expect(server.transport.failures).toMatchObject([failure]));
    await coap.close();
    expect([server.transport.connected, await answer]).toEqual([[], undefined]);
  };

  it.each(refusals)('$client with $why is refused', (refusal) => fails(refusal));

  it.each(['openssl', 'gnutls'])('coap-client on %s', async (library) => {
    const { psk, wrongPsk, certificate } = credentials;
    const asks = (path: string, more: object) =>
      coapClient(`coap-client-${library}`, { method: 'get', url: `coaps://127.0.0.1:${server.port}/${path}`, ...more });
    const keyed = { psk: { identity: psk.psk!.identity, key: psk.psk!.key.toString('hex') } };
    expect(await asks('hello', keyed)).toMatchObject({ code: '2.05' });
    expect(await asks('body', { ...keyed, method: 'put', payload: body.toString() })).toMatchObject({ code: '2.04' });
    const output = credentials.pathOf('body');
    await asks('body', { ...keyed, output });
    expect(readFileSync(output).equals(body)).toBe(true);
    expect(await asks('hello', certificate!)).toMatchObject({ code: '2.05' });
    await eventually(() => expect(server.transport.closed).toEqual(Array(4).fill('close-notify')));
    const wrong = { psk: { identity: psk.psk!.identity, key: wrongPsk.psk!.key.toString('hex') } };
    expect(await asks('hello', wrong).catch(() => ({}))).not.toMatchObject({ code: '2.05' });
    await eventually(() => expect(server.transport.failures).toMatchObject([{ reason: 'wrong-key' }]));
  });

  it('coap-client on gnutls with a raw public key', async () => {
    const { certificate, ...accepted } = credentials.accepted;
    // It prefers certificates where the server has one.
    const rawServer = await CoapsServer.start({ ...accepted, certificate: { ...certificate!, chain: [] } });
    ends.push(() => rawServer.stop());
    const url = `coaps://127.0.0.1:${rawServer.port}/hello`;
    const rawPublicKey = credentials.rawPublicKeyFile;
    expect(await coapClient('coap-client-gnutls', { method: 'get', url, rawPublicKey })).toMatchObject({
      code: '2.05',
    });
    expect(rawServer.connection?.peer.kind).toBe('raw-public-key');
  });

  if (aiocoap !== undefined)
    it('aiocoap on DTLSSocket, which is tinydtls', async () => {
      const program = [join(root, 'e2e/dtls/aiocoap/session.py'), String(server.port), credentials.psk.psk!.identity];
      const run = (key: Buffer) => promisify(execFile)(aiocoap, [...program, key.toString()]);
      const { stdout } = await run(credentials.psk.psk!.key);
      expect(stdout.trim().split('\n')).toEqual(['2.05 5', '2.04 0', `2.05 ${body.length}`]);
      await eventually(() => expect(server.transport.closed).toEqual(['close-notify']));
      await expect(run(credentials.wrongPsk.psk!.key)).rejects.toThrow();
      await eventually(() => expect(server.transport.failures).toMatchObject([{ reason: 'wrong-key' }]));
    });

  if (hasGo) {
    const ids = [0, pionIdBytes];
    const pionSuites: [Suite, Kind][] = [
      ['pskCcm8', 'psk'],
      ['ecdheCcm8', 'certificate'],
      ['ecdheGcm', 'certificate'],
    ];
    const cases = pionSuites.flatMap(([suite, kind]) => ids.map((idBytes) => ({ suite, kind, idBytes })));

    it.each(cases)('pion over $suite with an own id of $idBytes bytes continues from another port', async (one) => {
      const nat = await new UdpBalancer([server.port]).start();
      ends.push(async () => nat.stop());
      const coap = await speaks(pion(one.idBytes)(server.target(nat.port), one.suite, credentials[one.kind]));
      await converses(coap);
      nat.rebind();
      await converses(coap);
      expect(server.transport.connected.map(({ connectionId }) => connectionId?.length)).toEqual([serverIdBytes]);
      expect(server.transport.moves).toHaveLength(1);
      await closes(coap);
    });

    it.each([
      { client: 'pion', connect: pion(0), suite: 'pskCcm8', ...wrongKey, failure: { reason: 'wrong-key' } } as const,
      {
        client: 'pion',
        connect: pion(0),
        suite: 'pskCbc',
        ...noEncryptThenMac,
        failure: { reason: 'refused', alert: handshakeFailure },
      } as const,
    ])('$client with $why is refused', (refusal) => fails(refusal));
  }
});
