import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { type Address, AlertDescription, type ConnectionState, DtlsServer, SequenceExhausted } from '../src/index.js';
import { SEQUENCE_MAX, TAKE_OVER_SEQUENCES } from '../src/limits.js';
import { encodeClientHello } from '../src/messages/client-hello.js';
import { encodeHandshake, HandshakeType } from '../src/messages/handshake.js';
import { encodeHelloVerifyRequest } from '../src/messages/hello-verify-request.js';
import { ContentType, decodeRecords, encodePlainRecord } from '../src/messages/record.js';
import { flipped } from './alteration.js';
import { issueCertificate, newIssuer } from './certificates.js';
import { ManualClock } from './manual-clock.js';
import { randomFrom } from './network.js';
import { eightByteIds, KEY, keyOf, PSK_CCM_8, TestNetwork } from './peers.js';
import { RawClient } from './raw-client.js';
import { epochOfPeer } from './raw-keys.js';

const CLIENT_ID = Buffer.from('client');
const ELSEWHERE = { address: '198.51.100.7', port: 7 };

describe('before its address is proved, a client', () => {
  const hello = encodeClientHello(RawClient.hello({ extensions: {} }));
  const handshake = encodeHandshake(HandshakeType.ClientHello, 0, hello);
  const record = encodePlainRecord(ContentType.Handshake, 0, handshake);
  /** Answers without state, whatever comes first: no more bytes than arrived. */
  const answered = (datagram: Buffer, from: Address = ELSEWHERE): number => {
    let sent = 0;
    const server = new DtlsServer({
      clock: new ManualClock(),
      keyOf,
      newConnectionId: eightByteIds,
      send: (bytes) => (sent += bytes.length),
      onConnected: () => {},
      onMessage: () => {},
    });
    server.receive(datagram, from);
    expect(sent).toBeLessThanOrEqual(datagram.length);
    expect(server.gauges()).toEqual({ connections: 0, handshakes: 0, sessions: 0, lastFlights: 0 });
    return sent;
  };

  it('gets a HelloVerifyRequest that is shorter than its ClientHello', () => {
    expect(answered(record)).toBeGreaterThan(0);
    expect(answered(Buffer.concat([record, record, record]))).toBeGreaterThan(0);
  });

  it('gets nothing from a process to which another one, which has answered, forwards the datagram', () => {
    expect(answered(record, { ...ELSEWHERE, via: 'another process' })).toBe(0);
  });

  it.each(Object.entries(HandshakeType))('gets at most as much for a %s', (_, type) => {
    answered(encodePlainRecord(ContentType.Handshake, 0, encodeHandshake(type, 0, hello)));
    answered(encodePlainRecord(ContentType.Handshake, 0, encodeHandshake(type, 0, Buffer.alloc(0))));
  });

  it.each([20, 21, 22, 23, 24, 25, 26])('gets at most as much for a record of type %i, in either epoch', (type) => {
    for (const epoch of [0, 1]) {
      const other = Buffer.concat([encodePlainRecord(ContentType.Handshake, 0, Buffer.alloc(20, 2)), record]);
      other[0] = type;
      other[4] = epoch;
      answered(other);
    }
  });

  it('gets at most as much for a ClientHello with anything changed, cut or added', () => {
    const random = randomFrom(7);
    for (let count = 0; count < 3_000; count += 1) {
      const changed = Buffer.from(record).subarray(
        0,
        random() < 0.3 ? Math.floor(random() * record.length) : undefined,
      );
      for (let changes = 0; changes < random() * 4 && changed.length > 0; changes += 1) {
        changed[Math.floor(random() * changed.length)] = Math.floor(random() * 256);
      }
      answered(random() < 0.2 ? Buffer.concat([changed, record]) : changed);
    }
  });
});

describe('a handshake at whose address others send', () => {
  const FINISHED_SEQUENCE = 3;
  const random = randomFrom(11);
  const protectedRecord = (sequence: number) => {
    const record = encodePlainRecord(
      [21, 22, 23][sequence % 3]!,
      sequence,
      Buffer.alloc(40, Math.floor(random() * 256)),
    );
    record[4] = 1;
    return record;
  };
  const plainMessage = (type: number, sequence: number) =>
    encodePlainRecord(
      ContentType.Handshake,
      sequence,
      encodeHandshake(type, FINISHED_SEQUENCE, Buffer.alloc(12)).subarray(0, sequence % 2 ? undefined : 20),
    );
  const forgeries = [
    ...Array.from({ length: 40 }, (_, sequence) => protectedRecord(sequence)),
    ...Object.values(HandshakeType).map(plainMessage),
  ];
  /** Before and after each record. */
  const surrounded = (datagram: Buffer): Buffer => {
    let at = 0;
    const parts = decodeRecords(datagram, 0).map(({ end }) => {
      const record = datagram.subarray(at, end);
      at = end;
      return [...forgeries, record];
    });
    return Buffer.concat([...parts.flat(), ...forgeries]);
  };
  const helloOf = (datagram: Buffer) => datagram[13] === HandshakeType.ClientHello;

  it.each(['up', 'down'])('succeeds, whatever they send for the other side without its keys: %s', async (way) => {
    const net = new TestNetwork();
    if (way === 'up') net.alterUp = (datagram) => (helloOf(datagram) ? datagram : surrounded(datagram));
    else net.alterDown = surrounded;
    const client = await net.connected({ suites: [PSK_CCM_8] });
    client.say('still here');
    await net.run(50);
    expect([net.server.messages, net.server.failures]).toEqual([['still here'], []]);
  });

  it('fails when they send one cookie after the other, instead of greeting the server once for each', async () => {
    const net = new TestNetwork();
    const client = net.client();
    client.connect();
    const request = encodeHelloVerifyRequest({ cookie: Buffer.alloc(16) });
    for (let number = 0; number < 20; number += 1) {
      const message = encodeHandshake(HandshakeType.HelloVerifyRequest, number, request);
      client.receive(encodePlainRecord(ContentType.Handshake, number, message));
    }
    await net.run(50);
    expect(client.outcome).toMatchObject({ reason: 'refused', alert: AlertDescription.UnexpectedMessage });
    expect(client.sent).toHaveLength(10);
  });

  it('keeps no large records until it has keys: the Finished has room beside them', async () => {
    const net = new TestNetwork({ keyOf: async (identity) => keyOf(identity) });
    const large = Array.from({ length: 8 }, (_, sequence) => {
      const record = encodePlainRecord(ContentType.ApplicationData, sequence, Buffer.alloc(16_000));
      record[4] = 1;
      return record;
    });
    net.alterUp = (datagram) => (helloOf(datagram) ? datagram : Buffer.concat([...large, datagram]));
    const client = net.client();
    client.connect();
    // Before the client repeats its flight.
    await net.run(500);
    expect(client.outcome).toBe('connected');
  });
});

describe('a connection at whose address others send', () => {
  it('outlives a ClientHello that never finishes', async () => {
    const net = new TestNetwork();
    const client = await net.connected();
    const intruder = net.client({ limits: { handshakeMs: 10_000 } });
    net.move(intruder, client.address);
    intruder.connect();
    await net.runUntil(() => net.server.dtls.counters()['handshake-started'] === 2);
    net.alterUp = () => Buffer.alloc(0);
    await net.runUntil(() => intruder.outcome !== undefined && net.server.dtls.gauges().handshakes === 0);
    expect([net.server.closed, net.server.connected.length]).toEqual([[], 1]);
    net.alterUp = (datagram) => datagram;
    net.move(client, client.address);
    client.say('still here');
    net.server.connection.send(Buffer.from('so am I'));
    await net.run(50);
    expect([net.server.messages, client.messages]).toEqual([['still here'], ['so am I']]);
  });

  it('goes nowhere with a forged record of the newest number', async () => {
    const net = new TestNetwork({ newConnectionId: eightByteIds });
    const client = await net.connected({ connectionId: CLIENT_ID });
    const home = client.address;
    const peer = epochOfPeer(net.server.connection.state());
    const authentic = peer.seal(ContentType.ApplicationData, Buffer.from('moved'));
    for (let at = 0; at < authentic.length; at += 1)
      net.server.dtls.receive(flipped(at)(Buffer.from(authentic)), ELSEWHERE);
    expect([net.server.moves, net.server.messages, net.server.connection.remote]).toEqual([[], [], home]);
    net.server.dtls.receive(authentic, ELSEWHERE);
    expect([net.server.moves, net.server.messages]).toEqual([[[home, ELSEWHERE]], ['moved']]);
  });
});

describe('sequence numbers', () => {
  it('end a connection when they are used up, and none is used twice', async () => {
    const net = new TestNetwork();
    const client = await net.connected();
    const state: ConnectionState = net.server.connection.state();
    net.server = net.newServer();
    const last = { ...state, sendSequence: SEQUENCE_MAX - TAKE_OVER_SEQUENCES };
    const connection = net.server.dtls.restore(last, { takeOvers: 1 });
    connection.send(Buffer.from('the last'));
    expect(() => connection.send(Buffer.from('one more'))).toThrow(SequenceExhausted);
    await net.run(50);
    expect([client.messages, net.server.closed, connection.isOpen]).toEqual([
      ['the last'],
      ['sequence-exhausted'],
      false,
    ]);
  });
});

describe('no secret', () => {
  const secrets = (state: ConnectionState, sessionSecret: Buffer): Buffer[] => [
    KEY,
    sessionSecret,
    ...[0, 16, 32].map((at) => state.keys.subarray(at, at + 8)).filter(({ length }) => length === 8),
  ];
  const holdsNone = (shown: string, held: readonly Buffer[]): void => {
    const bytes = shown.replaceAll(/[\s,]|0x/g, '').toLowerCase();
    for (const secret of held) {
      expect(bytes).not.toContain(secret.toString('hex').slice(0, 16));
      expect(bytes).not.toContain(secret.toString('base64').slice(0, 10).toLowerCase());
      expect(bytes).not.toContain([...secret.subarray(0, 8)].join(''));
      // As a string of bytes, which is how keys are held.
      expect(shown).not.toContain(inspect(secret.toString('latin1', 0, 8)).slice(1, -1));
    }
  };
  const shown = (value: unknown): string[] => [
    inspect(value, { depth: 20, showHidden: true, maxArrayLength: null }),
    String(value),
    JSON.stringify(value) ?? '',
  ];

  it('is in what is logged of a server, a client, and their connection', async () => {
    const net = new TestNetwork();
    const client = await net.connected();
    const held = secrets(net.server.connection.state(), client.dtls.session!.masterSecret);
    for (const value of [net.server.dtls, net.server.connection, client.dtls]) {
      for (const text of shown(value)) holdsNone(text, held);
    }
    // A state has them: this is how they would look.
    expect(() => holdsNone(inspect(net.server.connection.state()), held)).toThrow();
  });

  it('is in an error of a handshake, whatever its reason', async () => {
    const issuer = newIssuer();
    const certificate = issueCertificate('server', issuer);
    const servers = [
      { keyOf: () => Buffer.from('another key') },
      { keyOf: () => Promise.reject(new Error('away')) },
      { keyOf: undefined, certificate },
      { limits: { handshakeMs: 500 }, keyOf: () => new Promise<never>(() => {}) },
    ];
    for (const options of servers) {
      const net = new TestNetwork(options);
      const client = net.client({ limits: { handshakeMs: 5_000 } });
      client.connect();
      await net.runUntil(() => client.outcome !== undefined && net.server.dtls.gauges().handshakes === 0);
      expect(net.server.failures.length + Number(client.outcome !== 'connected')).toBeGreaterThan(0);
      for (const error of [client.outcome, ...net.server.failures]) {
        for (const text of shown(error)) holdsNone(text, [KEY]);
        expect(error).toMatchObject({ name: 'HandshakeFailed' });
      }
    }
  });
});
