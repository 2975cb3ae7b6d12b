import { describe, expect, it } from '@jest/globals';
import { type DtlsClientOptions, type DtlsServerOptions } from '../src/index.js';
import { type ClientHello, decodeClientHello, encodeClientHello } from '../src/messages/client-hello.js';
import { HandshakeType } from '../src/messages/handshake.js';
import { decodeServerHello, encodeServerHello, type ServerHello } from '../src/messages/server-hello.js';
import { altered } from './alteration.js';
import { type Alteration } from './network.js';
import { eightByteIds, PSK_CBC, PSK_CCM_8, TestNetwork } from './peers.js';

const DTLS_1_0 = 0xfeff;
const limits = { handshakeMs: 3_000 };

const clientHello = (change: (hello: ClientHello) => void): Alteration =>
  altered(HandshakeType.ClientHello, (body) => {
    const hello = decodeClientHello(body);
    change(hello);
    return encodeClientHello(hello);
  });

const serverHello = (change: (hello: ServerHello) => void): Alteration =>
  altered(HandshakeType.ServerHello, (body) => {
    const hello = decodeServerHello(body);
    change(hello);
    return encodeServerHello(hello);
  });

const server: Partial<DtlsServerOptions> = { newConnectionId: eightByteIds };
const client: Partial<DtlsClientOptions> = { suites: [PSK_CCM_8, PSK_CBC], connectionId: Buffer.alloc(4, 1) };

/** What an attacker between both changes; what a handshake without the change would have agreed. */
const cases: [what: string, Partial<Record<'alterUp' | 'alterDown', Alteration>>][] = [
  ['the version that the client offers is lowered', { alterUp: clientHello((hello) => (hello.version = DTLS_1_0)) }],
  ['the version that the server selects is lowered', { alterDown: serverHello((hello) => (hello.version = DTLS_1_0)) }],
  [
    'the preferred suite is removed from the offer',
    { alterUp: clientHello((hello) => (hello.cipherSuites = [PSK_CBC])) },
  ],
  ['another suite is put in the answer', { alterDown: serverHello((hello) => (hello.cipherSuite = PSK_CBC)) }],
  [
    'the connection id is removed from the offer',
    { alterUp: clientHello((hello) => delete hello.extensions.connectionId) },
  ],
  [
    'the connection id is removed from the answer',
    { alterDown: serverHello((hello) => delete hello.extensions.connectionId) },
  ],
  [
    'the extended master secret is removed from the offer',
    { alterUp: clientHello((hello) => delete hello.extensions.extendedMasterSecret) },
  ],
  [
    'the extended master secret is removed from offer and answer',
    {
      alterUp: clientHello((hello) => delete hello.extensions.extendedMasterSecret),
      alterDown: serverHello((hello) => delete hello.extensions.extendedMasterSecret),
    },
  ],
  [
    'encrypt-then-MAC is removed from the offer of CBC',
    {
      alterUp: clientHello((hello) => {
        hello.cipherSuites = [PSK_CBC];
        delete hello.extensions.encryptThenMac;
      }),
    },
  ],
];

describe('an attacker who weakens a handshake gets no connection', () => {
  it('where nothing is changed there is one, with the suite and the ids that both prefer', async () => {
    const net = new TestNetwork(server);
    await net.connected(client);
    expect(net.server.connection.cipherSuite).toBe('TLS_PSK_WITH_AES_128_CCM_8');
    expect(net.server.connection.connectionId).toHaveLength(8);
  });

  it.each(cases)('when %s', async (_, alterations) => {
    const net = new TestNetwork({ ...server, limits });
    let altered = 0;
    for (const [direction, alter] of Object.entries(alterations) as ['alterUp' | 'alterDown', Alteration][])
      net[direction] = (datagram) => {
        const changed = alter(datagram);
        if (!changed.equals(datagram)) altered += 1;
        return changed;
      };
    const victim = net.client({ ...client, limits });
    victim.connect();
    await net.runUntil(() => victim.outcome !== undefined && net.server.dtls.gauges().handshakes === 0);
    expect(altered).toBeGreaterThan(0);
    expect([victim.outcome === 'connected', net.server.connected]).toEqual([false, []]);
  });
});
