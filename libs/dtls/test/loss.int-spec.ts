import { describe, expect, it } from '@jest/globals';
import { type DtlsClientOptions, type DtlsServerOptions } from '../src/index.js';
import { issueCertificate, newIssuer } from './certificates.js';
import { ECDHE_CCM_8, ECDHE_GCM, eightByteIds, PSK_CBC, PSK_CCM_8, type TestClient, TestNetwork } from './peers.js';

const issuer = newIssuer();
const serverCertificate = issueCertificate('server', issuer);
const certified: [Partial<DtlsServerOptions>, Partial<DtlsClientOptions>] = [
  { certificate: serverCertificate, authenticate: async () => true },
  { certificate: issueCertificate('device', issuer), psk: undefined },
];
const raw: [Partial<DtlsServerOptions>, Partial<DtlsClientOptions>] = [
  { certificate: { ...serverCertificate, chain: [] }, authenticate: async () => true },
  { ...certified[1], rawPublicKeys: true },
];

const kinds: [string, number, Partial<DtlsServerOptions>, Partial<DtlsClientOptions>][] = [
  ['TLS_PSK_WITH_AES_128_CCM_8', PSK_CCM_8, {}, {}],
  ['TLS_PSK_WITH_AES_128_CBC_SHA256', PSK_CBC, {}, {}],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8, certificates', ECDHE_CCM_8, ...certified],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, certificates', ECDHE_GCM, ...certified],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8, raw public keys', ECDHE_CCM_8, ...raw],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, raw public keys', ECDHE_GCM, ...raw],
];

const networks = [1_000, 3_000].flatMap((delayMs) => [1, 2, 3].map((seed) => ({ delayMs, seed })));
const MESSAGES = 60;
/** Flights of several datagrams, so that a part of one is lost. */
const limits = { handshakeMs: 600_000, datagramBytesMax: 300 };
const handshakeWithinMs = 600_000;

/**
 * A fourth of the datagrams is lost and a fourth of the others arrives twice, each after up to this time, and so in any order.
 * Handshakes complete in the end; application data arrives once, or is lost.
 */
describe.each(kinds)('%s', (_, suite, serverOptions, clientOptions) => {
  const network = ({ delayMs, seed }: (typeof networks)[number]) =>
    new TestNetwork(
      { ...serverOptions, newConnectionId: eightByteIds, limits },
      { loss: 0.25, duplication: 0.25, delayMs: [5, delayMs], seed },
    );

  const completes = async (net: TestNetwork, options: Partial<DtlsClientOptions>): Promise<TestClient> => {
    const client = net.client({ ...clientOptions, ...options, suites: [suite], limits });
    const before = net.server.connected.length;
    client.connect();
    // The side that does not send the last flight is the last to know.
    const isDone = () => client.outcome === 'connected' && net.server.connected.length > before;
    expect(await net.runUntil(isDone, handshakeWithinMs)).toBe(true);
    return client;
  };

  const exchanges = async (net: TestNetwork, client: TestClient): Promise<void> => {
    const [up, down] = [net.server.messages.length, client.messages.length];
    for (let index = 0; index < MESSAGES; index += 1) {
      client.say(`${index}`);
      net.server.connection.send(Buffer.from(`${index}`));
    }
    await net.run(4_000);
    for (const texts of [net.server.messages.slice(up), client.messages.slice(down)]) {
      expect(new Set(texts).size).toBe(texts.length);
      expect(texts.length).toBeGreaterThan(MESSAGES / 3);
    }
    expect(net.server.closed).toEqual([]);
  };

  it.each(networks)(
    'completes with loss, repetition, reordering and up to $delayMs ms of delay (seed $seed)',
    async (one) => {
      const net = network(one);
      const client = await completes(net, { connectionId: Buffer.from('client') });
      await exchanges(net, client);
      const resumed = await completes(net, { connectionId: Buffer.from('again'), session: client.dtls.session });
      await exchanges(net, resumed);
    },
  );

  it.each(networks.slice(-1))('completes without a connection id', async (one) => {
    const net = network(one);
    await exchanges(net, await completes(net, {}));
  });
});
