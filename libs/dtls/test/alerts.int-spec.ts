import { describe, expect, it } from '@jest/globals';
import { AlertDescription, type DtlsClientOptions, type DtlsServerOptions } from '../src/index.js';
import { encodeAlert } from '../src/messages/alert.js';
import { encodeCertificate } from '../src/messages/certificate.js';
import { encodeClientHello } from '../src/messages/client-hello.js';
import { encodeEcdheClientKeyExchange, encodePskClientKeyExchange } from '../src/messages/client-key-exchange.js';
import { CertificateType, NamedGroup, SignatureAlgorithm } from '../src/messages/extensions.js';
import { encodeHandshake, HandshakeType } from '../src/messages/handshake.js';
import { ContentType, encodePlainRecord } from '../src/messages/record.js';
import { decodeServerHello, encodeServerHello, type ServerHello } from '../src/messages/server-hello.js';
import { altered } from './alteration.js';
import { issueCertificate, newIssuer } from './certificates.js';
import { ECDHE_GCM, eightByteIds, IDENTITY, PSK_CBC, PSK_CCM_8, TestNetwork } from './peers.js';
import { RawClient } from './raw-client.js';
import { epochOfClient, epochOfPeer, openedBy } from './raw-keys.js';

type Alert = keyof typeof AlertDescription;

const issuer = newIssuer();
const certificate = issueCertificate('server', issuer);
const otherCurve = issueCertificate('device', issuer, 'secp384r1');
const { Certificate, CertificateVerify, ClientKeyExchange, Finished, HelloRequest } = HandshakeType;
const { HelloVerifyRequest, ServerHello, ServerHelloDone, ServerKeyExchange } = HandshakeType;

const ecdhe = {
  cipherSuites: [ECDHE_GCM],
  extensions: {
    supportedGroups: [NamedGroup.Secp256r1],
    signatureAlgorithms: [SignatureAlgorithm.EcdsaSha256],
  },
};
const asksForCertificates = { certificate, authenticate: () => true };
const chain = (...entries: Buffer[]) => encodeCertificate(entries, CertificateType.X509);
const NO_POINT = Buffer.concat([Buffer.from([4]), Buffer.alloc(64)]);

describe('a server sends', () => {
  const cases: [Alert, when: string, Partial<DtlsServerOptions>, hello: object, type: number, body: Buffer][] = [
    ['UnexpectedMessage', 'a message is out of order', {}, {}, CertificateVerify, Buffer.alloc(4)],
    ['DecodeError', 'a message cannot be read', {}, {}, ClientKeyExchange, Buffer.from([0, 9, 1])],
    [
      'IllegalParameter',
      'a public key is not on the curve',
      { certificate },
      ecdhe,
      ClientKeyExchange,
      encodeEcdheClientKeyExchange({ publicKey: NO_POINT }),
    ],
    ['HandshakeFailure', 'a client has no certificate', asksForCertificates, ecdhe, Certificate, chain()],
    ['BadCertificate', 'it is not a certificate', asksForCertificates, ecdhe, Certificate, chain(Buffer.alloc(9))],
    [
      'UnsupportedCertificate',
      'its key is on another curve',
      asksForCertificates,
      ecdhe,
      Certificate,
      chain(...otherCurve.chain),
    ],
    [
      'InternalError',
      'a callback throws',
      {
        keyOf: () => {
          throw new Error('The directory is away');
        },
      },
      {},
      ClientKeyExchange,
      encodePskClientKeyExchange({ identity: IDENTITY }),
    ],
  ];

  it.each(cases)('%s when %s', (alert, _, options, hello, type, body) => {
    const client = new RawClient(options);
    client.greet(RawClient.hello(hello));
    client.takeDatagrams();
    client.message(type, 2, body);
    expect(client.takeAlerts()).toEqual([{ level: 'fatal', description: AlertDescription[alert] }]);
    expect(client.failures).toMatchObject([{ alert: AlertDescription[alert] }]);
    expect(client.server.gauges()).toMatchObject({ handshakes: 0, connections: 0 });
  });

  it('BadCertificate when authenticate refuses, now or later', async () => {
    for (const authenticate of [() => false, async () => false]) {
      const net = new TestNetwork({ certificate, authenticate });
      const client = net.client({ certificate: issueCertificate('device', issuer), psk: undefined });
      client.connect();
      await net.runUntil(() => client.outcome !== undefined);
      expect(net.server.failures).toMatchObject([{ reason: 'not-authenticated' }]);
      expect(client.outcome).toMatchObject({ receivedAlert: AlertDescription.BadCertificate });
      expect(net.server.connected).toEqual([]);
    }
  });

  describe.each([
    ['a wrong key', IDENTITY],
    ['the key of an unknown identity', Buffer.from('stranger')],
  ])('after records under %s', (_, identity) => {
    const key = Buffer.from('another key');
    const DECRYPT_ERROR = [{ level: 'fatal', description: AlertDescription.DecryptError }];
    const WRONG_KEY = [{ reason: 'wrong-key', identity }];
    const sends = ({ client, epoch }: ReturnType<typeof agreed>) => {
      for (let count = 0; count < 3; count += 1) {
        expect(client.failures).toEqual([]);
        client.raw(epoch.seal(ContentType.Handshake, encodeHandshake(Finished, 3, Buffer.alloc(12))));
      }
      return client;
    };

    it('DecryptError at once, when they have the connection id', () => {
      const client = sends(agreed({ key, identity, newConnectionId: eightByteIds }));
      expect(client.takeAlerts()).toEqual(DECRYPT_ERROR);
      expect(client.failures).toMatchObject(WRONG_KEY);
    });

    it('DecryptError when the time for a handshake is over, without a connection id', () => {
      const handshakeMs = 60_000;
      const client = sends(agreed({ key, identity, limits: { handshakeMs } }));
      expect([client.takeAlerts(), client.failures]).toEqual([[], []]);
      client.clock.advance(handshakeMs);
      expect(client.takeAlerts()).toEqual(DECRYPT_ERROR);
      expect(client.failures).toMatchObject(WRONG_KEY);
    });

    it('nothing when the client has started again, and the reason is known', () => {
      const client = sends(agreed({ key, identity }));
      client.greet(RawClient.hello());
      expect(client.takeAlerts()).toEqual([]);
      expect(client.failures).toMatchObject(WRONG_KEY);
    });
  });

  it('nothing after a Finished without protection, which is forged', () => {
    const { client } = agreed();
    client.takeDatagrams();
    client.message(Finished, 3, Buffer.alloc(12));
    expect([client.takeDatagrams(), client.failures]).toEqual([[], []]);
  });

  it('DecryptError when the Finished is wrong', () => {
    const { client, epoch } = agreed();
    client.raw(epoch.seal(ContentType.Handshake, encodeHandshake(Finished, 3, Buffer.alloc(12))));
    expect(client.takeAlerts()).toEqual([{ level: 'fatal', description: AlertDescription.DecryptError }]);
    expect(client.failures).toMatchObject([{ reason: 'refused' }]);
  });

  it('HandshakeFailure when a session is resumed without an extended master secret', async () => {
    const net = new TestNetwork();
    const { session } = (await net.connected()).dtls;
    const client = net.client({ session, extendedMasterSecret: false });
    client.connect();
    await net.runUntil(() => client.outcome !== undefined);
    expect(client.outcome).toMatchObject({ receivedAlert: AlertDescription.HandshakeFailure });
  });
});

/** A raw client after its ClientKeyExchange. */
function agreed({
  key,
  identity = IDENTITY,
  ...options
}: { key?: Buffer; identity?: Buffer } & Partial<DtlsServerOptions> = {}) {
  const client = new RawClient(options);
  const connectionId = options.newConnectionId && Buffer.alloc(0);
  const hello = client.greet(RawClient.hello({ extensions: { connectionId } }));
  const [serverHello] = client.takeRecords();
  client.message(ClientKeyExchange, 2, encodePskClientKeyExchange({ identity }));
  return { client, epoch: epochOfClient(hello.random, serverHello!, key) };
}

describe('a client sends', () => {
  const withHello = (change: (hello: ServerHello) => Partial<ServerHello>) =>
    altered(ServerHello, (body) => {
      const hello = decodeServerHello(body);
      return encodeServerHello({ ...hello, ...change(hello) });
    });
  const withCertificate: [Partial<DtlsServerOptions>, Partial<DtlsClientOptions>] = [
    { certificate },
    { psk: undefined },
  ];
  const cbc = { suites: [PSK_CBC], extendedMasterSecret: false };

  const cases: [
    Alert,
    when: string,
    alteration: ReturnType<typeof altered>,
    server?: Partial<DtlsServerOptions>,
    options?: Partial<DtlsClientOptions>,
  ][] = [
    ['ProtocolVersion', 'a ServerHello has another version', withHello(() => ({ version: 0xfeff }))],
    ['ProtocolVersion', 'a HelloVerifyRequest has none', altered(HelloVerifyRequest, () => Buffer.from([1, 1, 0]))],
    ['IllegalParameter', 'the suite was not offered', withHello(() => ({ cipherSuite: ECDHE_GCM }))],
    [
      'UnsupportedExtension',
      'an extension was not offered',
      withHello(({ extensions }) => ({ extensions: { ...extensions, recordSizeLimit: 100 } })),
    ],
    [
      'IllegalParameter',
      'a record size limit is below 64',
      withHello(({ extensions }) => ({ extensions: { ...extensions, recordSizeLimit: 63 } })),
      {},
      { recordSizeLimit: 100 },
    ],
    [
      'HandshakeFailure',
      'the suite is CBC with MAC-then-encrypt',
      withHello(({ extensions }) => ({ extensions: { ...extensions, encryptThenMac: undefined } })),
      {},
      cbc,
    ],
    [
      'HandshakeFailure',
      'the server renegotiates',
      withHello(({ extensions }) => ({ extensions: { ...extensions, renegotiationInfo: Buffer.alloc(24) } })),
    ],
    ['UnexpectedMessage', 'a message is out of order', altered(ServerHelloDone, (body) => body, CertificateVerify)],
    ['DecodeError', 'a message cannot be read', altered(ServerHelloDone, () => Buffer.alloc(1))],
    ['DecodeError', 'the server has no certificate', altered(Certificate, () => chain()), ...withCertificate],
    [
      'BadCertificate',
      'it is not a certificate',
      altered(Certificate, () => chain(Buffer.alloc(9))),
      ...withCertificate,
    ],
    [
      'UnsupportedCertificate',
      'its key is on another curve',
      altered(Certificate, () => chain(...otherCurve.chain)),
      ...withCertificate,
    ],
    [
      'UnsupportedCertificate',
      'its type was not offered',
      withHello(({ extensions }) => ({ extensions: { ...extensions, serverCertificateTypes: undefined } })),
      { certificate },
      { psk: undefined, rawPublicKeys: true },
    ],
    [
      'IllegalParameter',
      'the curve was not offered',
      altered(ServerKeyExchange, (body) => Buffer.concat([Buffer.from([3, 0, 24]), body.subarray(3)])),
      ...withCertificate,
    ],
    [
      'BadCertificate',
      'authenticate refuses',
      (datagram) => datagram,
      { certificate },
      { psk: undefined, authenticate: () => false },
    ],
    [
      'InternalError',
      'authenticate rejects',
      (datagram) => datagram,
      { certificate },
      { psk: undefined, authenticate: () => Promise.reject(new Error('The directory is away')) },
    ],
  ];

  it.each(cases)('%s when %s', async (alert, _, alteration, server = {}, options = {}) => {
    const net = new TestNetwork(server);
    net.alterDown = alteration;
    const client = net.client(options);
    client.connect();
    await net.runUntil(() => client.outcome !== undefined);
    expect(client.outcome).toMatchObject({ alert: AlertDescription[alert] });
    const last = client.sent.at(-1)!;
    expect([last[0], last.subarray(13)]).toEqual([
      ContentType.Alert,
      encodeAlert({ level: 'fatal', description: AlertDescription[alert] }),
    ]);
    expect(net.server.connected).toEqual([]);
  });
});

describe('renegotiation', () => {
  const alert = { level: 'warning', description: AlertDescription.NoRenegotiation } as const;
  const NO_RENEGOTIATION = { type: ContentType.Alert, plaintext: encodeAlert(alert) };

  it('that a client asks for is answered with no_renegotiation, and the connection stays', async () => {
    const net = new TestNetwork();
    const client = await net.connected();
    const peer = epochOfPeer(net.server.connection.state());
    const again = encodeHandshake(HandshakeType.ClientHello, 0, encodeClientHello(RawClient.hello()));
    net.server.dtls.receive(peer.seal(ContentType.Handshake, again), client.address);
    expect(net.server.dtls.counters()['renegotiation-refused']).toBe(1);
    expect(net.server.dtls.gauges()).toMatchObject({ handshakes: 0, connections: 1 });
    expect(openedBy(client.dtls.state(), net.server.sent.at(-1)!)).toMatchObject(NO_RENEGOTIATION);
    client.say('still here');
    await net.run(50);
    expect([net.server.messages, client.closed]).toEqual([['still here'], []]);
  });

  it('that a server asks for is answered with no_renegotiation, and the connection stays', async () => {
    const net = new TestNetwork();
    const client = await net.connected();
    const peer = epochOfPeer(client.dtls.state());
    client.receive(peer.seal(ContentType.Handshake, encodeHandshake(HelloRequest, 0, Buffer.alloc(0))));
    expect(openedBy(net.server.connection.state(), client.sent.at(-1)!)).toMatchObject(NO_RENEGOTIATION);
    await net.run(50);
    client.say('still here');
    await net.run(50);
    expect([net.server.messages, net.server.closed, client.closed]).toEqual([['still here'], [], []]);
  });
});

describe('an alert that is authentic', () => {
  it.each([
    ['a fatal one closes the connection', { level: 'fatal', description: AlertDescription.InternalError }, ['alert']],
    ['a close_notify closes it', { level: 'warning', description: AlertDescription.CloseNotify }, ['close-notify']],
    ['another warning changes nothing', { level: 'warning', description: AlertDescription.UserCanceled }, []],
  ] as const)('%s', async (_, alert, closed) => {
    const net = new TestNetwork();
    const client = await net.connected();
    const peer = epochOfPeer(net.server.connection.state());
    net.server.dtls.receive(peer.seal(ContentType.Alert, encodeAlert(alert)), client.address);
    expect([net.server.closed, net.server.dtls.gauges().connections]).toEqual([closed, 1 - closed.length]);
  });

  it.each([
    ['and fatal invalidates the session', 'fatal', AlertDescription.InternalError, 0],
    ['and a close_notify does not', 'warning', AlertDescription.CloseNotify, 1],
  ] as const)('%s', async (_, level, description, sessions) => {
    const net = new TestNetwork();
    const first = await net.connected();
    const client = await net.connected({ session: first.dtls.session });
    await net.run(50);
    expect(net.server.dtls.gauges()).toMatchObject({ connections: 2, sessions: 1 });
    const peer = epochOfPeer(net.server.connection.state());
    net.server.dtls.receive(peer.seal(ContentType.Alert, encodeAlert({ level, description })), client.address);
    expect(net.server.dtls.gauges()).toMatchObject({ connections: 1, sessions });
  });

  it('and fatal invalidates the session that a handshake resumes', async () => {
    const net = new TestNetwork();
    const { session } = (await net.connected()).dtls;
    net.alterUp = (datagram) => (datagram[13] === HandshakeType.ClientHello ? datagram : Buffer.alloc(0));
    const client = await net.connected({ session });
    const peer = epochOfPeer({ ...client.dtls.state(), role: 'server' });
    const alert = encodeAlert({ level: 'fatal', description: AlertDescription.InternalError });
    net.server.dtls.receive(peer.seal(ContentType.Alert, alert), client.address);
    expect(net.server.failures).toMatchObject([{ reason: 'alert-received' }]);
    expect(net.server.dtls.gauges()).toMatchObject({ connections: 1, handshakes: 0, sessions: 0 });
  });

  it('and fatal makes a client forget its session', async () => {
    const client = await new TestNetwork().connected();
    expect(client.dtls.session).toBeDefined();
    const alert = encodeAlert({ level: 'fatal', description: AlertDescription.InternalError });
    client.receive(epochOfPeer(client.dtls.state()).seal(ContentType.Alert, alert));
    expect([client.closed, client.dtls.session]).toEqual([['alert'], undefined]);
  });

  it('with an unknown level or of another length changes nothing', async () => {
    const net = new TestNetwork();
    const client = await net.connected();
    const peer = epochOfPeer(net.server.connection.state());
    for (const content of [[3, 40], [2], [2, 40, 0]]) {
      net.server.dtls.receive(peer.seal(ContentType.Alert, Buffer.from(content)), client.address);
    }
    expect(net.server.closed).toEqual([]);
  });

  it('ends a handshake', () => {
    const { client, epoch } = agreed();
    const alert = { level: 'fatal', description: AlertDescription.UserCanceled } as const;
    client.raw(epoch.seal(ContentType.Alert, encodeAlert(alert)));
    expect(client.failures).toMatchObject([{ reason: 'alert-received', receivedAlert: alert.description }]);
  });
});

describe('an alert that is not authentic', () => {
  it('does not end the handshake of a server', async () => {
    const net = new TestNetwork();
    const client = net.client();
    const alerts = [
      [2, 40],
      [1, 0],
    ].map((content) => encodePlainRecord(ContentType.Alert, 9, Buffer.from(content)));
    // One of each before each datagram of the client.
    net.alterUp = (datagram) => Buffer.concat([...alerts, datagram]);
    client.connect();
    await net.runUntil(() => client.outcome !== undefined);
    expect([client.outcome, net.server.failures]).toEqual(['connected', []]);
  });

  it('is the only one that a client can get before it has keys: a fatal one ends its attempt', async () => {
    const net = new TestNetwork();
    const client = net.client({ suites: [PSK_CCM_8] });
    client.connect();
    client.receive(encodePlainRecord(ContentType.Alert, 0, Buffer.from([1, 90])));
    client.receive(encodePlainRecord(ContentType.Alert, 0, Buffer.from([2, 40])));
    await net.run(50);
    const message = 'The handshake failed: the peer refused it with HandshakeFailure';
    expect(client.outcome).toMatchObject({ reason: 'alert-received', receivedAlert: 40, message });
  });
});
