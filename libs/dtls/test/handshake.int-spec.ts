import { describe, expect, it } from '@jest/globals';
import { encodePublicKey } from '../src/crypto/public-keys.js';
import { type DtlsClientOptions, type DtlsServerOptions } from '../src/index.js';
import { isIssuedBy, issueCertificate, newIssuer } from './certificates.js';
import { ECDHE_CCM_8, ECDHE_GCM, eightByteIds, IDENTITY, PSK_CBC, PSK_CCM_8, TestNetwork } from './peers.js';

const issuer = newIssuer();
const serverCertificate = issueCertificate('server', issuer);
const clientCertificate = issueCertificate('device', issuer);

const ecdheServer: Partial<DtlsServerOptions> = {
  certificate: serverCertificate,
  authenticate: (credential) => credential.kind === 'x509' && isIssuedBy(credential.chain, issuer.root),
};
const ecdheClient: Partial<DtlsClientOptions> = { certificate: clientCertificate, psk: undefined };

const suites: [string, number, Partial<DtlsServerOptions>, Partial<DtlsClientOptions>][] = [
  ['TLS_PSK_WITH_AES_128_CCM_8', PSK_CCM_8, {}, {}],
  ['TLS_PSK_WITH_AES_128_CBC_SHA256', PSK_CBC, {}, {}],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8', ECDHE_CCM_8, ecdheServer, ecdheClient],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', ECDHE_GCM, ecdheServer, ecdheClient],
];

describe.each(suites)('%s', (name, suite, serverOptions, clientOptions) => {
  it.each([
    ['no connection ids', undefined, undefined],
    ['ids both ways', Buffer.from('client'), eightByteIds],
    ['an id for the server only', Buffer.alloc(0), eightByteIds],
    ['an offer of the client only', Buffer.from('client'), undefined],
  ])('carries messages both ways with %s', async (_, connectionId, newConnectionId) => {
    const net = new TestNetwork({ ...serverOptions, newConnectionId });
    const client = await net.connected({ ...clientOptions, suites: [suite], connectionId });
    client.say('ping');
    await net.run(100);
    net.server.connection.send(Buffer.from('pong'));
    await net.run(100);
    expect([net.server.messages, client.messages]).toEqual([['ping'], ['pong']]);
    expect([net.server.connection.cipherSuite, client.dtls.cipherSuite]).toEqual([name, name]);
    expect(net.server.connection.connectionId !== undefined).toBe(newConnectionId !== undefined);
  });

  it('works without an extended master secret', async () => {
    const net = new TestNetwork(serverOptions);
    const client = await net.connected({ ...clientOptions, suites: [suite], extendedMasterSecret: false });
    client.say('ping');
    await net.run(100);
    expect(net.server.messages).toEqual(['ping']);
    expect([client.dtls.session, net.server.dtls.gauges().sessions]).toEqual([undefined, 0]);
  });
});

describe('credentials', () => {
  it('tells the application the identity of a pre-shared key', async () => {
    const net = new TestNetwork();
    await net.connected();
    expect(net.server.connection.peer).toEqual({ kind: 'psk', identity: IDENTITY });
  });

  it('hands the proved chain to the application, and the chain of the server to the client', async () => {
    const net = new TestNetwork(ecdheServer);
    const client = await net.connected({
      ...ecdheClient,
      authenticate: (credential) => credential.kind === 'x509' && isIssuedBy(credential.chain, issuer.root),
    });
    const { peer } = net.server.connection;
    expect(peer.kind === 'x509' && peer.chain.map(({ raw }) => raw)).toEqual(clientCertificate.chain);
    const server = client.dtls.peer;
    expect(server?.kind === 'x509' && server.chain[0]?.subject).toBe('CN=server');
  });

  it('exchanges raw public keys', async () => {
    const net = new TestNetwork({
      certificate: { chain: [], privateKey: serverCertificate.privateKey },
      authenticate: async (credential) =>
        credential.kind === 'raw-public-key' &&
        credential.publicKey.equals(encodePublicKey(clientCertificate.privateKey)),
    });
    const client = await net.connected({ ...ecdheClient, rawPublicKeys: true });
    expect(client.dtls.peer).toEqual({
      kind: 'raw-public-key',
      publicKey: encodePublicKey(serverCertificate.privateKey),
    });
    client.say('hello');
    await net.run(100);
    expect(net.server.messages).toEqual(['hello']);
  });

  it('does not ask for a certificate without authenticate', async () => {
    const net = new TestNetwork({ certificate: serverCertificate });
    await net.connected({ psk: undefined });
    expect(net.server.connection.peer).toEqual({ kind: 'anonymous' });
  });
});
