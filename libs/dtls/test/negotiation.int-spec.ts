import { describe, expect, it } from '@jest/globals';
import { cipherSuite } from '../src/crypto/suites.js';
import { negotiate } from '../src/handshake/negotiate.js';
import { AlertDescription, type DtlsServerOptions } from '../src/index.js';
import { type ClientHello, encodeClientHello } from '../src/messages/client-hello.js';
import { CertificateType, NamedGroup, PointFormat, SignatureAlgorithm } from '../src/messages/extensions.js';
import { HandshakeType } from '../src/messages/handshake.js';
import { ContentType, DTLS_1_0 } from '../src/messages/record.js';
import { decodeServerHello } from '../src/messages/server-hello.js';
import { issueCertificate, newIssuer } from './certificates.js';
import { ECDHE_CCM_8, ECDHE_GCM, PSK_CBC, PSK_CCM_8 } from './peers.js';
import { RawClient } from './raw-client.js';

const certificate = issueCertificate('server', newIssuer());
const ecdhe = {
  supportedGroups: [NamedGroup.Secp256r1],
  pointFormats: [PointFormat.Uncompressed],
  signatureAlgorithms: [SignatureAlgorithm.EcdsaSha256],
};
const withCertificate = { certificate, authenticate: () => true };

const refusals: [string, Partial<ClientHello>, Partial<DtlsServerOptions>, keyof typeof AlertDescription][] = [
  ['no common suite', { cipherSuites: [0x1301, 0xc030] }, {}, 'HandshakeFailure'],
  [
    'ECDHE without a certificate of the server',
    { cipherSuites: [ECDHE_GCM], extensions: ecdhe },
    {},
    'HandshakeFailure',
  ],
  [
    'PSK without keys of the server',
    { cipherSuites: [PSK_CCM_8] },
    { certificate, keyOf: undefined },
    'HandshakeFailure',
  ],
  ['DTLS 1.0', { version: DTLS_1_0 }, {}, 'ProtocolVersion'],
  ['TLS 1.2', { version: 0x0303 }, {}, 'ProtocolVersion'],
  ['CBC without encrypt-then-MAC', { cipherSuites: [PSK_CBC], extensions: {} }, {}, 'HandshakeFailure'],
  [
    'another curve',
    { cipherSuites: [ECDHE_GCM], extensions: { ...ecdhe, supportedGroups: [29] } },
    withCertificate,
    'HandshakeFailure',
  ],
  [
    'compressed points only',
    { cipherSuites: [ECDHE_CCM_8], extensions: { ...ecdhe, pointFormats: [1] } },
    withCertificate,
    'HandshakeFailure',
  ],
  [
    'other signature algorithms',
    { cipherSuites: [ECDHE_CCM_8], extensions: { ...ecdhe, signatureAlgorithms: [0x0401] } },
    withCertificate,
    'HandshakeFailure',
  ],
  [
    'no signature algorithms, which means SHA-1',
    { cipherSuites: [ECDHE_CCM_8], extensions: { ...ecdhe, signatureAlgorithms: undefined } },
    withCertificate,
    'HandshakeFailure',
  ],
  [
    'a certificate type that the server does not have',
    {
      cipherSuites: [ECDHE_GCM],
      extensions: { ...ecdhe, serverCertificateTypes: [CertificateType.X509] },
    },
    { certificate: { ...certificate, chain: [] } },
    'UnsupportedCertificate',
  ],
  [
    'a certificate type of the client that is not known',
    { cipherSuites: [ECDHE_GCM], extensions: { ...ecdhe, clientCertificateTypes: [1] } },
    withCertificate,
    'UnsupportedCertificate',
  ],
  [
    'a renegotiation in a first handshake',
    { extensions: { renegotiationInfo: Buffer.alloc(12) } },
    {},
    'HandshakeFailure',
  ],
  ['a record size limit of 63', { extensions: { recordSizeLimit: 63 } }, {}, 'IllegalParameter'],
  ['a maximum fragment length of 0', { extensions: { maxFragmentLength: 0 } }, {}, 'IllegalParameter'],
  ['a maximum fragment length of 5', { extensions: { maxFragmentLength: 5 } }, {}, 'IllegalParameter'],
];

describe('a ClientHello', () => {
  it.each(refusals)('with %s is refused', (_, changes, options, alert) => {
    const client = new RawClient(options);
    client.greet(RawClient.hello(changes));
    expect(client.takeAlerts()).toEqual([{ level: 'fatal', description: AlertDescription[alert] }]);
    expect(client.failures).toMatchObject([{ reason: 'refused', alert: AlertDescription[alert] }]);
    expect(client.server.gauges().handshakes).toBe(0);
  });

  it('selects a suite in the order of the server', () => {
    const suites = [PSK_CBC, PSK_CCM_8];
    const client = new RawClient();
    client.greet(RawClient.hello({ cipherSuites: suites, extensions: { encryptThenMac: true } }));
    // The version, the random and the empty session id come before the suite.
    expect(client.takeRecords()[0]!.fragment.readUInt16BE(12 + 2 + 32 + 1)).toBe(PSK_CCM_8);
  });

  it('that offers PSK and ECDHE gets PSK, for it may have no certificate', () => {
    const client = new RawClient(withCertificate);
    client.greet(RawClient.hello({ cipherSuites: [ECDHE_GCM, PSK_CCM_8], extensions: ecdhe }));
    expect(client.takeRecords()[0]!.fragment.readUInt16BE(12 + 2 + 32 + 1)).toBe(PSK_CCM_8);
  });

  it('with a maximum fragment length gets it, and no larger records', () => {
    const client = new RawClient(withCertificate);
    client.greet(RawClient.hello({ cipherSuites: [ECDHE_GCM], extensions: { ...ecdhe, maxFragmentLength: 1 } }));
    const fragments = client.takeRecords().map(({ fragment }) => fragment);
    expect(decodeServerHello(fragments[0]!.subarray(12)).extensions.maxFragmentLength).toBe(1);
    expect(fragments.reduce((bytes, { length }) => bytes + length, 0)).toBeGreaterThan(512);
    expect(Math.max(...fragments.map(({ length }) => length))).toBeLessThanOrEqual(512);
  });

  it.each([
    [{}, 16_384],
    [{ maxFragmentLength: 2 }, 1_024],
    [{ maxFragmentLength: 2, recordSizeLimit: 2_000 }, 2_000],
    [{ maxFragmentLength: 5, recordSizeLimit: 2_000 }, 2_000],
  ])('with %j is sent at most %i bytes in a record', (extensions, sendBytesMax) => {
    const suites = [cipherSuite(PSK_CCM_8)!];
    const offer = { suites, hasChain: false, requestsClientCertificate: false, recordSizeLimit: 16_384 };
    expect(negotiate(RawClient.hello({ extensions }), offer)).toMatchObject({ sendBytesMax });
  });

  it('without a cookie gets a shorter answer and leaves no state', () => {
    const client = new RawClient();
    const hello = encodeClientHello(RawClient.hello({ extensions: {} }));
    client.message(HandshakeType.ClientHello, 0, hello);
    const datagrams = client.takeDatagrams();
    expect(datagrams).toHaveLength(1);
    expect(datagrams[0]!.length).toBeLessThan(hello.length + 25);
    // Record version 1.2: tinydtls drops others.
    expect(datagrams[0]!.readUInt16BE(1)).toBe(0xfefd);
    expect(client.server.gauges().handshakes).toBe(0);
  });

  it.each([
    ['another port', (client: RawClient) => (client.from = { ...client.from, port: 1 })],
    ['another address', (client: RawClient) => (client.from = { ...client.from, address: '192.0.2.10' })],
    ['three minutes later', (client: RawClient) => client.clock.advance(180_000)],
  ])('with a cookie from %s gets a new one', (_, change) => {
    const client = new RawClient();
    const hello = client.greet(RawClient.hello());
    change(client);
    client.takeDatagrams();
    client.message(HandshakeType.ClientHello, 1, encodeClientHello(hello));
    expect(client.takeTypes()).toEqual([HandshakeType.HelloVerifyRequest]);
  });

  it.each([
    ['another random', { random: Buffer.alloc(32, 7) }],
    ['other suites', { cipherSuites: [PSK_CCM_8, 1] }],
    ['another session', { sessionId: Buffer.from('session') }],
  ])('with the cookie of one with %s gets a new cookie', (_, changes) => {
    const client = new RawClient();
    const hello = client.greet(RawClient.hello());
    client.takeDatagrams();
    client.message(HandshakeType.ClientHello, 1, encodeClientHello({ ...hello, ...changes }));
    expect(client.takeTypes()).toEqual([HandshakeType.HelloVerifyRequest]);
  });

  it('accepts a cookie from before the secret changed', () => {
    const client = new RawClient();
    const hello = client.greet(RawClient.hello());
    client.takeDatagrams();
    client.clock.advance(61_000);
    client.takeDatagrams();
    client.message(HandshakeType.ClientHello, 1, encodeClientHello(hello));
    expect(client.takeTypes()).toContain(HandshakeType.ServerHello);
  });

  it('in fragments or with impossible numbers is dropped', () => {
    const client = new RawClient();
    const hello = encodeClientHello(RawClient.hello());
    const header = Buffer.from([1, 0, 0, hello.length, 0, 0, 0, 0, 0, 0, 0, 20]);
    client.record(ContentType.Handshake, Buffer.concat([header, hello.subarray(0, 20)]));
    // All of the ClientHello, as the beginning of a longer message.
    const longer = Buffer.from([1, 0, 0, hello.length + 1, 0, 0, 0, 0, 0, 0, 0, hello.length]);
    client.record(ContentType.Handshake, Buffer.concat([longer, hello]));
    client.message(HandshakeType.ClientHello, 65_535, hello);
    expect(client.takeDatagrams()).toEqual([]);
    expect(client.server.counters()['hello-malformed']).toBe(3);
  });
});

describe('limits of handshakes', () => {
  it('bounds them in total, per source and in their rate', () => {
    const client = new RawClient({
      limits: { handshakesMax: 6, handshakesPerSourceMax: 3, handshakesPerSourcePerSecond: 4 },
    });
    const started = (address: string, count: number) => {
      const before = client.server.counters()['handshake-started'];
      for (let port = 1; port <= count; port += 1) {
        client.from = { address, port };
        client.greet(RawClient.hello());
      }
      return client.server.counters()['handshake-started'] - before;
    };
    expect(started('192.0.2.1', 5)).toBe(3);
    // One network of an IPv6 host, however many addresses it takes.
    expect(started('2001:db8::1', 2) + started('2001:db8:0:0:9::2', 2)).toBe(3);
    expect(started('192.0.2.2', 1)).toBe(0);
    // All are abandoned; then only the rate holds.
    client.clock.advance(64_000);
    expect(client.server.gauges().handshakes).toBe(0);
    client.from = { address: '192.0.2.3', port: 1 };
    const before = client.server.counters()['handshake-started'];
    for (let attempt = 0; attempt < 10; attempt += 1) client.greet(RawClient.hello());
    expect(client.server.counters()['handshake-started'] - before).toBe(4);
  });

  it('counts handshakes among the connections that they may become, those that begin again once', () => {
    const client = new RawClient({ limits: { connectionsMax: 1 } });
    for (const _ of [1, 2]) client.greet(RawClient.hello());
    expect(client.server.counters()).toMatchObject({ 'handshake-started': 2, 'handshake-refused': 0 });
    client.from = { ...client.from, port: 1 };
    client.greet(RawClient.hello());
    expect(client.server.counters()).toMatchObject({ 'handshake-started': 2, 'handshake-refused': 1 });
  });

  it('starts none while there are too many connections', () => {
    const client = new RawClient({ limits: { connectionsMax: 0 } });
    client.greet(RawClient.hello());
    expect(client.takeDatagrams()).toEqual([]);
    expect(client.server.counters()['handshake-refused']).toBe(1);
  });
});
