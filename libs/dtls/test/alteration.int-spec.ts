import { describe, expect, it } from '@jest/globals';
import { AlertDescription, type DtlsClientOptions, type DtlsServerOptions } from '../src/index.js';
import { ContentType } from '../src/messages/record.js';
import { decodeHandshakeFragments, HandshakeType } from '../src/messages/handshake.js';
import { decodeRecords } from '../src/messages/record.js';
import { altered, flipped } from './alteration.js';
import { issueCertificate, newIssuer } from './certificates.js';
import { ECDHE_GCM, type TestClient, TestNetwork } from './peers.js';

const issuer = newIssuer();
const ecdheServer: Partial<DtlsServerOptions> = {
  certificate: issueCertificate('server', issuer),
  authenticate: () => true,
};
const ecdheClient: Partial<DtlsClientOptions> = {
  suites: [ECDHE_GCM],
  certificate: issueCertificate('device', issuer),
  psk: undefined,
  limits: { handshakeMs: 10_000 },
};
const { DecryptError } = AlertDescription;

/** Runs a handshake until both sides know how it ended. */
const attempt = async (net: TestNetwork, client: TestClient): Promise<void> => {
  client.connect();
  await net.runUntil(() => client.outcome !== undefined && net.server.dtls.gauges().handshakes === 0);
};

describe('the proof of a private key', () => {
  it('of the client is checked: a wrong CertificateVerify ends the handshake with decrypt_error', async () => {
    const net = new TestNetwork(ecdheServer);
    net.alterUp = altered(HandshakeType.CertificateVerify, flipped(-1));
    const client = net.client(ecdheClient);
    await attempt(net, client);
    expect(net.server.failures).toMatchObject([{ reason: 'refused', alert: DecryptError }]);
    expect(client.outcome).toMatchObject({ reason: 'alert-received', receivedAlert: DecryptError });
    expect(net.server.connected).toEqual([]);
  });

  it('is missed by a client that has the certificate of another, and by such a server', async () => {
    const stolen = { chain: ecdheClient.certificate!.chain, privateKey: issueCertificate('thief', issuer).privateKey };
    const net = new TestNetwork(ecdheServer);
    const client = net.client({ ...ecdheClient, certificate: stolen });
    await attempt(net, client);
    expect(net.server.failures).toMatchObject([{ reason: 'refused', alert: DecryptError }]);
    expect(net.server.connected).toEqual([]);
    const other = new TestNetwork({ ...ecdheServer, certificate: stolen });
    const victim = other.client(ecdheClient);
    await attempt(other, victim);
    expect(victim.outcome).toMatchObject({ reason: 'refused', alert: DecryptError });
    expect(other.server.connected).toEqual([]);
  });

  it('of the server is checked: a wrong ServerKeyExchange ends the handshake with decrypt_error', async () => {
    const net = new TestNetwork(ecdheServer);
    net.alterDown = altered(HandshakeType.ServerKeyExchange, flipped(-1));
    const client = net.client(ecdheClient);
    await attempt(net, client);
    expect(client.outcome).toMatchObject({ reason: 'refused', alert: DecryptError });
    expect(net.server.connected).toEqual([]);
  });
});

describe('a Finished', () => {
  /** Announced by both sides, and part of the transcript only: any value of it is accepted. */
  const otherLimit = altered(HandshakeType.ServerHello, (body) => {
    const limit = body.indexOf(Buffer.from([0, 28, 0, 2]));
    return flipped(limit + 5)(body);
  });

  it('of the client over another transcript ends the handshake with decrypt_error', async () => {
    const net = new TestNetwork();
    net.alterDown = otherLimit;
    // Without an extended master secret the keys do not depend on the transcript: only the Finished shows the difference.
    const client = net.client({ extendedMasterSecret: false, recordSizeLimit: 1_000 });
    await attempt(net, client);
    expect(net.server.failures).toMatchObject([{ reason: 'refused', alert: DecryptError }]);
    expect(net.server.failures[0]?.message).toContain('Finished');
    expect(net.server.connected).toEqual([]);
  });

  it('of the server over another transcript ends the handshake with decrypt_error', async () => {
    const net = new TestNetwork();
    const { session } = (await net.connected({ recordSizeLimit: 1_000 })).dtls;
    net.alterDown = otherLimit;
    // The server of a resumed session is the first to send a Finished.
    const client = net.client({ session, recordSizeLimit: 1_000, limits: { handshakeMs: 10_000 } });
    await attempt(net, client);
    expect(client.outcome).toMatchObject({ reason: 'refused', alert: DecryptError });
    expect(String(client.outcome)).toContain('Finished');
    expect(net.server.connected).toHaveLength(1);
  });
});

describe('a handshake on whose way something changes', () => {
  const { ClientHello, ServerHello, ServerHelloDone, ClientKeyExchange } = HandshakeType;
  const { Certificate, ServerKeyExchange, CertificateRequest, CertificateVerify } = HandshakeType;
  const limits = { handshakeMs: 3_000 };
  type Case = [
    string,
    Partial<DtlsServerOptions>,
    Partial<DtlsClientOptions>,
    up: number[],
    down: number[],
    step: number,
  ];

  const cases: Case[] = [
    [
      'a pre-shared key',
      {},
      { recordSizeLimit: 1_000 },
      [ClientHello, ClientKeyExchange],
      [ServerHello, ServerHelloDone],
      1,
    ],
    [
      'certificates',
      ecdheServer,
      ecdheClient,
      [ClientHello, Certificate, ClientKeyExchange, CertificateVerify],
      [ServerHello, Certificate, ServerKeyExchange, CertificateRequest],
      5,
    ],
  ];

  it.each(cases)('completes with %s at no byte of any message', async (_, server, options, up, down, step) => {
    const lengths = await lengthsOfMessages(server, options);
    const directions = [
      ['alterUp', up],
      ['alterDown', down],
    ] as const;
    for (const [direction, types] of directions) {
      for (const type of types) {
        for (let at = 0; at < Math.max(1, lengths.get(type) ?? 0); at += step) {
          const net = new TestNetwork({ ...server, limits });
          net[direction] = altered(type, (body) =>
            body.length === 0 ? Buffer.from([0]) : flipped(at % body.length)(body),
          );
          const client = net.client({ ...options, limits });
          client.connect();
          await net.runUntil(() => client.outcome !== undefined);
          expect([type, at, client.outcome === 'connected', net.server.connected.length]).toEqual([type, at, false, 0]);
        }
      }
    }
  });
});

/** Of the messages in plaintext of a handshake, by type; the longest where there are several. */
async function lengthsOfMessages(
  server: Partial<DtlsServerOptions>,
  options: Partial<DtlsClientOptions>,
): Promise<Map<number, number>> {
  const net = new TestNetwork(server);
  const client = await net.connected(options);
  const lengths = new Map<number, number>();
  for (const datagram of [...client.sent, ...client.received]) {
    for (const { epoch, type, fragment } of decodeRecords(datagram, 0)) {
      if (epoch !== 0 || type !== ContentType.Handshake) continue;
      for (const message of decodeHandshakeFragments(fragment)) {
        lengths.set(message.type, Math.max(message.length, lengths.get(message.type) ?? 0));
      }
    }
  }
  return lengths;
}
