import { describe, expect, it } from '@jest/globals';
import {
  type ConnectionState,
  decodeState,
  encodeState,
  InvalidState,
  StateNotSaved,
  TAKE_OVER_SEQUENCES,
  TooManyConnections,
} from '../src/index.js';
import { encodePlainRecord } from '../src/messages/record.js';
import { eightByteIds, IDENTITY, KEY, TestNetwork } from './peers.js';

const withIds = { newConnectionId: eightByteIds };
const CLIENT_ID = Buffer.from('client');
const ELSEWHERE = { address: '198.51.100.7', port: 7 };

describe('a connection', () => {
  it('delivers neither repeated nor forged records', async () => {
    const net = new TestNetwork();
    const client = await net.connected();
    client.say('once');
    await net.run(50);
    const record = client.sent.at(-1)!;
    net.server.dtls.receive(record, client.address);
    for (let at = 0; at < record.length; at += 1) {
      const forged = Buffer.from(record);
      // Also a sequence number that is new.
      forged[10] = 0x20;
      forged[at]! ^= 1;
      net.server.dtls.receive(forged, client.address);
    }
    expect(net.server.messages).toEqual(['once']);
    expect(net.server.dtls.counters()['record-replayed']).toBeGreaterThan(0);
    expect(net.server.closed).toEqual([]);
  });

  it('ignores alerts that are not authentic', async () => {
    const net = new TestNetwork();
    const client = await net.connected();
    net.server.dtls.receive(encodePlainRecord(21, 9, Buffer.from([2, 40])), client.address);
    net.server.dtls.receive(encodePlainRecord(21, 9, Buffer.from([1, 0])), client.address);
    client.say('still here');
    await net.run(50);
    expect([net.server.messages, net.server.closed]).toEqual([['still here'], []]);
  });

  it('ends with a close_notify of either side', async () => {
    const net = new TestNetwork();
    const client = await net.connected();
    client.dtls.close();
    await net.run(50);
    expect(net.server.closed).toEqual(['close-notify']);
    const other = await net.connected();
    net.server.connection.close();
    await net.run(50);
    expect(other.closed).toEqual(['close-notify']);
  });

  it('is one of those of its server, with what the application keeps with it, until it ends', async () => {
    const net = new TestNetwork({ onConnected: (connection) => (connection.data = { messages: 0 }) });
    const clients = [await net.connected(), await net.connected()];
    const kept = () => [...net.server.dtls.all()].map(({ data }) => data);
    expect(kept()).toEqual([{ messages: 0 }, { messages: 0 }]);
    // As each is closed while all are visited.
    for (const connection of net.server.dtls.all()) connection.close();
    expect([kept(), net.server.closed]).toEqual([[], ['closed', 'closed']]);
    expect(net.server.connected.map(({ data }) => data)).toEqual([{ messages: 0 }, { messages: 0 }]);
    await net.run(50);
    expect(clients.map(({ closed }) => closed)).toEqual([['close-notify'], ['close-notify']]);
  });

  it('follows a peer with a connection id to another address, and only with its newest record', async () => {
    const net = new TestNetwork(withIds);
    const client = await net.connected({ connectionId: CLIENT_ID });
    client.say('first');
    await net.run(50);
    const home = client.address;
    client.moveTo(ELSEWHERE);
    client.say('second');
    await net.run(50);
    expect(net.server.moves).toEqual([[home, ELSEWHERE]]);
    // An old record from a third address: repeated, so that it moves nothing.
    net.server.dtls.receive(client.sent.at(-2)!, { address: '203.0.113.1', port: 1 });
    net.server.connection.send(Buffer.from('there'));
    await net.run(50);
    expect([net.server.messages, client.messages]).toEqual([['first', 'second'], ['there']]);
  });

  it('does not follow an authentic record that newer ones have overtaken', async () => {
    const net = new TestNetwork(withIds);
    const client = await net.connected({ connectionId: CLIENT_ID });
    net.alterUp = () => Buffer.alloc(0);
    client.say('overtaken');
    net.alterUp = (datagram) => datagram;
    client.moveTo(ELSEWHERE);
    client.say('newest');
    await net.run(50);
    net.server.dtls.receive(client.sent.at(-2)!, { address: '203.0.113.1', port: 1 });
    expect([net.server.messages, net.server.moves.length]).toEqual([['newest', 'overtaken'], 1]);
    expect(net.server.connection.remote).toEqual(ELSEWHERE);
  });

  it('without a connection id does not follow', async () => {
    const net = new TestNetwork();
    const client = await net.connected();
    client.moveTo(ELSEWHERE);
    client.say('lost');
    await net.run(50);
    expect([net.server.messages, net.server.moves]).toEqual([[], []]);
    expect(net.server.dtls.counters()['record-unknown']).toBe(1);
  });

  it('stays until a new handshake at its address succeeds', async () => {
    const net = new TestNetwork();
    const client = await net.connected();
    const former = net.server.connection;
    const wrong = net.client({ psk: { identity: IDENTITY, key: Buffer.from('wrong') } });
    net.move(wrong, client.address);
    wrong.connect();
    await net.runUntil(() => wrong.outcome !== undefined);
    await net.runUntil(() => net.server.failures.length > 0);
    expect(net.server.failures).toMatchObject([{ reason: 'wrong-key' }]);
    expect(net.server.closed).toEqual([]);
    net.move(client, client.address);
    client.say('alive');
    await net.run(50);
    expect(net.server.messages).toEqual(['alive']);
    client.connect();
    await net.runUntil(() => client.outcome === 'connected');
    expect([former.isOpen, net.server.closed]).toEqual([false, ['replaced']]);
  });
});

describe('a restored connection', () => {
  it.each([
    ['with', withIds],
    ['without', {}],
  ])('continues in another server %s a connection id, without a handshake', async (_, options) => {
    const net = new TestNetwork(options);
    const client = await net.connected({ connectionId: CLIENT_ID });
    client.say('one');
    await net.run(50);
    const old = net.server;
    const state = encodeState(old.connection.state());
    net.server = net.newServer({ connectionIdBytes: 8 });
    const restored = net.server.dtls.restore(decodeState(state), { takeOvers: 1 });
    expect(restored.peer).toEqual({ kind: 'psk', identity: IDENTITY });
    net.server.dtls.receive(client.sent.at(-1)!, client.address);
    client.say('two');
    restored.send(Buffer.from('three'));
    await net.run(50);
    expect([net.server.messages, client.messages]).toEqual([['two'], ['three']]);
    expect(restored.sendSequence).toBeGreaterThan(TAKE_OVER_SEQUENCES);
    expect(net.server.dtls.restore(decodeState(state), { takeOvers: 2 })).toBe(restored);
  });

  it('is asked for by a record with an id that is not known', async () => {
    const net = new TestNetwork(withIds);
    const client = await net.connected({ connectionId: CLIENT_ID });
    const state = net.server.connection.state();
    net.server = net.newServer({ connectionIdBytes: 8 });
    client.say('where');
    await net.run(50);
    const [unknown] = net.server.unknown;
    expect(unknown?.connectionId).toEqual(state.connectionId);
    net.server.dtls.restore(state, { takeOvers: 1 });
    net.server.dtls.receive(unknown!.datagram, unknown!.from);
    expect(net.server.messages).toEqual(['where']);
  });

  it('is not asked for by a record behind that of another connection', async () => {
    const net = new TestNetwork(withIds);
    const client = await net.connected({ connectionId: CLIENT_ID });
    client.say('once');
    await net.run(50);
    const own = client.sent.at(-1)!;
    const other = Buffer.from(own);
    other.writeUInt8(other[11]! ^ 1, 11);
    net.server.dtls.receive(Buffer.concat([own, other]), client.address);
    expect([net.server.unknown, net.server.messages]).toEqual([[], ['once']]);
    expect(net.server.dtls.counters()).toMatchObject({ 'record-malformed': 1, 'connection-id-unknown': 0 });
  });

  it('is taken over twice without a save in between: the peer accepts the records of all three', async () => {
    const net = new TestNetwork(withIds);
    const client = await net.connected({ connectionId: CLIENT_ID });
    const state = encodeState(net.server.connection.state());
    const servers = [net.server, ...[1, 2].map(() => net.newServer({ connectionIdBytes: 8 }))];
    const connections = [
      net.server.connection,
      ...[1, 2].map((takeOvers) => servers[takeOvers]!.dtls.restore(decodeState(state), { takeOvers })),
    ];
    for (const connection of connections) connection.send(Buffer.from(`from ${connections.indexOf(connection)}`));
    await net.run(50);
    expect(client.messages).toEqual(['from 0', 'from 1', 'from 2']);
    const numbers = servers.map(({ sent }) => sent.at(-1)!.subarray(0, 11).toString('hex'));
    expect(new Set(numbers).size).toBe(3);
    // The records of the former owners now come too late for the peer.
    connections[0]!.send(Buffer.from('late'));
    await net.run(50);
    expect(client.messages).toHaveLength(3);
  });

  it.each([0, -1, 1.5, NaN, 2 ** 28])('is refused with %p take-overs', async (takeOvers) => {
    const net = new TestNetwork(withIds);
    await net.connected();
    const state = net.server.connection.state();
    expect(() => net.newServer({ connectionIdBytes: 8 }).dtls.restore(state, { takeOvers })).toThrow(InvalidState);
  });

  it('sends no more records than the next take-over skips, until its state is saved', async () => {
    const net = new TestNetwork(withIds);
    await net.connected();
    const state = net.server.connection.state();
    const restored = net.newServer({ connectionIdBytes: 8 }).dtls.restore(state, { takeOvers: 1 });
    // As if it had been saved almost 2^20 records ago.
    restored.confirmSaved({ sendSequence: restored.sendSequence + 2 - TAKE_OVER_SEQUENCES });
    restored.send(Buffer.from('last but one'));
    restored.send(Buffer.from('last'));
    expect(() => restored.send(Buffer.from('unsaved'))).toThrow(StateNotSaved);
    expect(restored.isOpen).toBe(true);
    restored.confirmSaved(restored.state());
    restored.send(Buffer.from('saved'));
  });

  it('a new connection has the same bound where the application saves states', async () => {
    const net = new TestNetwork({ ...withIds, savesStates: true });
    await net.connected();
    const { connection } = net.server;
    connection.send(Buffer.from('first'));
    connection.confirmSaved({ sendSequence: connection.sendSequence - TAKE_OVER_SEQUENCES });
    expect(() => connection.send(Buffer.from('unsaved'))).toThrow(StateNotSaved);
    connection.close();
    expect(net.server.closed).toEqual(['closed']);
  });

  it('one without an id has no bound, as no other process continues it', async () => {
    const net = new TestNetwork({ savesStates: true });
    await net.connected();
    const { epoch } = net.server.connection as unknown as { epoch: { sendSequence: number } };
    epoch.sendSequence = 2 * TAKE_OVER_SEQUENCES;
    net.server.connection.send(Buffer.from('much later'));
    expect(net.server.connection.isOpen).toBe(true);
  });

  it('keeps the way to its peer until a newer record shows another one', async () => {
    const net = new TestNetwork(withIds);
    const client = await net.connected({ connectionId: CLIENT_ID });
    client.say('one');
    await net.run(50);
    const { connection, dtls } = net.server;
    client.say('two');
    const forwarded = { ...client.address, via: 'another process' };
    dtls.receive(client.sent.at(-1)!, forwarded);
    expect(connection.remote).toEqual(forwarded);
    // The old record comes again, directly.
    dtls.receive(client.sent.at(-2)!, client.address);
    expect([connection.remote, decodeState(encodeState(connection.state())).remote]).toEqual([
      forwarded,
      client.address,
    ]);
    await net.run(50);
    client.say('three');
    await net.run(50);
    expect(connection.remote).toEqual(client.address);
  });

  it('is refused from bytes of another version, or damaged ones', async () => {
    const net = new TestNetwork();
    await net.connected();
    const state = encodeState(net.server.connection.state());
    expect(() => decodeState(Buffer.concat([Buffer.from([9]), state.subarray(1)]))).toThrow(InvalidState);
    for (let length = 0; length < state.length; length += 1) {
      const part = state.subarray(0, length);
      // The identity is at the end, with its length before it.
      expect(() => decodeState(part)).toThrow(InvalidState);
    }
  });
});

describe('resumption', () => {
  it('needs no key exchange, and fails over to a full handshake with another key', async () => {
    let key = KEY;
    const net = new TestNetwork({ keyOf: async () => key });
    const { session } = (await net.connected()).dtls;
    const resumed = await net.connected({ session });
    expect(resumed.dtls.session?.id).toEqual(session?.id);
    resumed.say('again');
    await net.run(50);
    expect(net.server.messages).toEqual(['again']);
    key = Buffer.from('another key');
    const other = net.client({ session });
    other.connect();
    await net.runUntil(() => other.outcome !== undefined);
    await net.runUntil(() => net.server.failures.length > 0);
    expect(net.server.failures).toMatchObject([{ reason: 'wrong-key' }]);
  });
});

describe('record size limits', () => {
  it('hold in both directions', async () => {
    const net = new TestNetwork({ limits: { recordSizeLimit: 200 } });
    const client = await net.connected({ recordSizeLimit: 100 });
    expect(() => net.server.connection.send(Buffer.alloc(101))).toThrow('too large');
    expect(() => client.dtls.send(Buffer.alloc(201))).toThrow('too large');
    net.server.connection.send(Buffer.alloc(100));
    await net.run(50);
    expect(client.messages).toHaveLength(1);
  });
});

describe('the connections of one source', () => {
  it('are bounded where they are now; one that replaces another takes no more room', async () => {
    const net = new TestNetwork({ ...withIds, limits: { connectionsPerSourceMax: 2 } });
    const [first, second] = [await net.connected(), await net.connected({ connectionId: CLIENT_ID })];
    const refused = () => net.server.dtls.counters()['handshake-refused'];
    const third = net.client();
    third.connect();
    await net.run(1_500);
    expect([third.outcome, refused() > 0]).toEqual([undefined, true]);
    const before = refused();
    first.connect();
    await net.run(50);
    expect([first.outcome, refused()]).toEqual(['connected', before]);
    second.moveTo(ELSEWHERE);
    second.say('moved');
    expect(await net.runUntil(() => third.outcome === 'connected')).toBe(true);
  });
});

describe('connections whose handshakes run at the same time', () => {
  it.each([{ connectionsMax: 2 }, { connectionsPerSourceMax: 2 }])('are bounded, with %j', async (limits) => {
    const net = new TestNetwork({ ...withIds, limits });
    const clients = Array.from({ length: 5 }, () => net.client({ connectionId: CLIENT_ID }));
    for (const client of clients) client.connect();
    await net.run(500);
    expect(net.server.dtls.gauges()).toMatchObject({ connections: 2, handshakes: 0 });
    expect(net.server.dtls.counters()).toMatchObject({ 'handshake-started': 2, 'handshake-refused': 3 });
  });
});

describe('restored connections', () => {
  it('are bounded as new ones are, in total and per source', async () => {
    const net = new TestNetwork(withIds);
    for (const _ of [1, 2, 3]) await net.connected({ connectionId: CLIENT_ID });
    const states = net.server.connected.map((connection) => connection.state());
    for (const limits of [{ connectionsMax: 2 }, { connectionsPerSourceMax: 2 }]) {
      const { dtls } = net.newServer({ ...withIds, limits });
      const [first, second, third] = states as [ConnectionState, ConnectionState, ConnectionState];
      for (const state of [first, second]) dtls.restore(state, { takeOvers: 1 });
      expect(dtls.hasRoomFor(third.remote)).toBe(false);
      expect(() => dtls.restore(third, { takeOvers: 1 })).toThrow(TooManyConnections);
      expect(dtls.restore(first, { takeOvers: 2 }).id).toBe(first.id);
      expect(dtls.gauges().connections).toBe(2);
    }
  });

  it('need room where a record of the peer has arrived, and stay at their address until it is authentic', async () => {
    const net = new TestNetwork(withIds);
    for (const _ of [1, 2, 3]) await net.connected({ connectionId: CLIENT_ID });
    const states = net.server.connected.map((connection) => connection.state());
    const [first, second, third] = states as [ConnectionState, ConnectionState, ConnectionState];
    const { dtls } = net.newServer({ ...withIds, limits: { connectionsPerSourceMax: 2 } });
    for (const state of [first, second]) dtls.restore(state, { takeOvers: 1, from: first.remote });
    expect(() => dtls.restore(third, { takeOvers: 1, from: third.remote })).toThrow(TooManyConnections);
    expect(dtls.restore(third, { takeOvers: 1, from: ELSEWHERE }).remote).toEqual(third.remote);
  });

  it('need room also at the address of a connection without an id, which stays', async () => {
    const net = new TestNetwork(withIds);
    await net.connected({ connectionId: CLIENT_ID });
    const state = net.server.connection.state();
    net.server = net.newServer({ ...withIds, limits: { connectionsMax: 1 } });
    const { address: from } = await net.connected();
    expect(net.server.dtls.hasRoomFor(from)).toBe(false);
    expect(() => net.server.dtls.restore(state, { takeOvers: 1, from })).toThrow(TooManyConnections);
  });
});

describe('callbacks of a handshake', () => {
  it('get the same object, and another one in the next handshake', async () => {
    const seen: object[] = [];
    const net = new TestNetwork({
      keyOf: (identity, handshake) => {
        seen.push(handshake);
        return identity.equals(IDENTITY) ? KEY : undefined;
      },
      onConnected: (_, handshake) => seen.push(handshake),
    });
    const client = await net.connected();
    client.connect();
    await net.run(50);
    expect(seen).toHaveLength(4);
    expect([seen[0] === seen[1], seen[2] === seen[3], seen[0] === seen[2]]).toEqual([true, true, false]);
  });
});
