import { createSocket } from 'node:dgram';
import { DtlsLine, infrastructure, eventually, isolate, type Isolation, TcpLine } from '@lanyard/testing';
import { deriveKey, encryptionKeyId } from '@lanyard/service';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { connectionKeys } from '../src/connections/keys.js';
import { waitingConnectionsMax } from '../src/connections/limits.js';
import { encodePeerMessage } from '../src/connections/peer-message.js';
import { stallMs } from '../src/sessions/limits.js';
import { DtlsReplica, pskKey, type ReplicaOptions } from './dtls-replica.js';

const connectionIdOf = (datagram: Buffer): string => datagram.toString('hex', 11, 19);

/** Replicas as the listener uses them, with sockets and Redis; devices that speak DTLS. */
describe('DTLS connections between replicas', () => {
  let isolation: Isolation;
  let redis: Redis;
  let names = 0;
  const replicas = new Set<DtlsReplica>();
  const lines = new Set<DtlsLine>();

  beforeAll(async () => {
    isolation = await isolate('shared');
    redis = new Redis(infrastructure().redisUrl);
  });
  afterEach(async () => {
    await Promise.all([...lines].map((line) => line.close()));
    await Promise.all([...replicas].map((one) => one.drain()));
    replicas.clear();
    lines.clear();
  });
  afterAll(async () => {
    redis.disconnect();
    await isolation.drop();
  });

  const replica = async ({
    name = `r${names++}`,
    ...options
  }: Partial<ReplicaOptions> & { name?: string } = {}): Promise<DtlsReplica> => {
    const one = new DtlsReplica(name, {
      redis,
      redisPrefix: `${isolation.redisPrefix}dp:`,
      peerHost: '127.0.0.1',
      ...options,
    });
    replicas.add(one);
    return one.start();
  };

  /** Each knows the others: leases are read every two seconds. */
  const together = async (...all: DtlsReplica[]): Promise<void> => {
    for (const one of all) await one.slots.refresh();
  };

  const device = async (at: DtlsReplica) => {
    const answers: string[] = [];
    const line = new DtlsLine({
      server: { host: '127.0.0.1', port: at.port },
      security: { psk: { identity: 'device', key: pskKey } },
    });
    lines.add(line);
    await line.bind({
      receive: (bytes) => answers.push(bytes.toString()),
      disconnected: () => answers.push('disconnected'),
      count: () => undefined,
    });
    /** As CoAP does, it says the same until there is an answer. */
    const ask = (text: string, expected: string): Promise<unknown> =>
      eventually(() => {
        if (answers.at(-1) === expected) return true;
        line.send(Buffer.from(text));
        return false;
      });
    const talkTo = (other: DtlsReplica): void => line.talkTo({ host: '127.0.0.1', port: other.port });
    return { line, answers, ask, talkTo };
  };

  const kill = async (one: DtlsReplica, options?: { leaseEnds?: boolean }): Promise<void> => {
    replicas.delete(one);
    await one.die(options);
  };

  it('a device whose first message was answered is continued by another replica after a kill, without a handshake', async () => {
    const [a, b] = [await replica(), await replica()];
    const thing = await device(a);
    await thing.ask('one', `one ${a.name}`);
    await kill(a);
    await together(b);
    thing.talkTo(b);
    await thing.ask('two', `two ${b.name}`);
    expect(b.server.counters()).toMatchObject({ 'handshake-started': 0, 'connection-restored': 1 });
    expect(b.arrived).toHaveLength(1);
    expect(thing.answers).not.toContain('disconnected');
  });

  it('and by a third one when the second is killed before it has saved anything', async () => {
    const [a, b, c] = [await replica(), await replica(), await replica()];
    const thing = await device(a);
    await thing.ask('one', `one ${a.name}`);
    for (const [dead, next] of [
      [a, b],
      [b, c],
    ] as const) {
      await kill(dead);
      await together(next);
      thing.talkTo(next);
      await thing.ask(`to ${next.name}`, `to ${next.name} ${next.name}`);
    }
    // Where each began: it has answered each message with a record, and the device may have repeated its message.
    const [first = 0, second = 0] = [b, c].map(
      (one) => (one.server.connection(one.arrived[0] as string)?.sendSequence ?? 0) - one.received.length,
    );
    expect(second - first).toBeGreaterThanOrEqual(2 ** 20);
  });

  it('and at once by the same replica when it is started again after a kill', async () => {
    const a = await replica();
    const thing = await device(a);
    await thing.ask('one', `one ${a.name}`);
    await kill(a, { leaseEnds: false });
    const again = await replica({ name: a.name });
    thing.talkTo(again);
    await thing.ask('two', `two ${again.name}`);
    expect(again.server.counters()['handshake-started']).toBe(0);
  });

  it('which takes it over once only, also if a record of it has arrived before it is resumed', async () => {
    const a = await replica();
    const thing = await device(a);
    await thing.ask('one', `one ${a.name}`);
    await kill(a, { leaseEnds: false });
    const again = await replica({ name: a.name });
    thing.talkTo(again);
    await thing.ask('two', `two ${again.name}`);
    const [id = ''] = again.owned.ids();
    expect([await again.shared.resume(id), await again.count('taken')]).toEqual([true, 1]);
  });

  it('unless other replicas have no way to forward its records', async () => {
    const a = await replica({ peerHost: undefined });
    const thing = await device(a);
    await thing.ask('one', `one ${a.name}`);
    const [id = ''] = a.owned.ids();
    await kill(a, { leaseEnds: false });
    const b = await replica({ peerHost: undefined });
    const again = await replica({ name: a.name, peerHost: undefined });
    expect(await again.shared.resume(id)).toBe(false);
    thing.talkTo(b);
    await thing.ask('two', `two ${b.name}`);
    expect(b.server.counters()['handshake-started']).toBe(0);
  });

  it('a record at the wrong replica is forwarded, and the answer leaves from there until a record comes directly', async () => {
    const [a, b] = [await replica(), await replica()];
    await together(a, b);
    const thing = await device(a);
    await thing.ask('one', `one ${a.name}`);
    thing.talkTo(b);
    await thing.ask('two', `two ${a.name}`);
    expect([b.received, (await b.count('forwarded')) > 0, (await b.count('answered-for-another')) > 0]).toEqual([
      [],
      true,
      true,
    ]);
    // The owner begins: that leaves from where the device is heard, too.
    const id = [...a.owned.ids()][0] as string;
    a.server.connection(id)?.send(Buffer.from('unasked'));
    await eventually(() => thing.answers.includes('unasked'));
    expect(a.server.connection(id)?.remote.via).toBe(b.slots.owner);
    thing.talkTo(a);
    await thing.ask('three', `three ${a.name}`);
    expect(a.server.connection(id)?.remote.via).toBeUndefined();
  });

  it('a restarted replica gets nothing back from the one that the device reaches now, and no record is lost', async () => {
    const [a, b] = [await replica(), await replica()];
    await together(a, b);
    const thing = await device(a);
    await thing.ask('one', `one ${a.name}`);
    replicas.delete(a);
    await a.drain();
    // It has the slot that the id names, and b still forwards to its holder.
    const again = await replica({ name: a.name });
    await together(b);
    thing.talkTo(b);
    thing.line.send(Buffer.from('two'));
    await eventually(() => thing.answers.includes(`two ${b.name}`));
    expect([again.received, b.received, await b.count('taken')]).toEqual([[], ['two'], 1]);
  });

  it('a drained replica hands over exactly: what it has seen is not accepted again', async () => {
    const [a, b] = [await replica(), await replica()];
    const thing = await device(a);
    const sent: Buffer[] = [];
    const sendRaw = thing.line.sendRaw.bind(thing.line);
    thing.line.sendRaw = (datagram) => {
      sent.push(Buffer.from(datagram));
      sendRaw(datagram);
    };
    await thing.ask('one', `one ${a.name}`);
    const replayed = sent.at(-1) as Buffer;
    replicas.delete(a);
    await a.drain();
    await together(b);
    thing.talkTo(b);
    sendRaw(replayed);
    await thing.ask('two', `two ${b.name}`);
    expect(b.received.includes('one')).toBe(false);
    expect(b.server.counters()['record-replayed']).toBe(1);
  });

  it('a replica that was suspended neither sends nor receives on a connection that it has lost', async () => {
    const [a, b] = [await replica(), await replica()];
    const thing = await device(a);
    await thing.ask('one', `one ${a.name}`);
    const id = [...a.owned.ids()][0] as string;
    // While it is suspended no timer fires: the next one would take the lease again, and nothing would be taken over.
    a.time.end();
    await a.endLease();
    await together(b);
    thing.talkTo(b);
    await thing.ask('two', `two ${b.name}`);
    // Nothing has told the first one.
    a.time.suspend(stallMs);
    expect(a.shared.maySend(id)).toBe(false);
    thing.talkTo(a);
    thing.line.send(Buffer.from('three'));
    await eventually(() => a.lost.includes(id));
    expect(a.received).not.toContain('three');
    await together(a);
    await thing.ask('three', `three ${b.name}`);
    expect(a.received).not.toContain('three');
  });

  it('a replica that was suspended keeps what no other has taken over', async () => {
    const a = await replica();
    const thing = await device(a);
    await thing.ask('one', `one ${a.name}`);
    a.time.suspend(stallMs);
    await thing.ask('two', `two ${a.name}`);
    expect(a.lost).toEqual([]);
  });

  it('a device whose credential was withdrawn meanwhile is not continued, and its state is removed', async () => {
    const [a, b] = [await replica(), await replica()];
    const thing = await device(a);
    await thing.ask('one', `one ${a.name}`);
    const id = [...a.owned.ids()][0] as string;
    await kill(a);
    await together(b);
    b.refuses = true;
    thing.talkTo(b);
    thing.line.send(Buffer.from('two'));
    const key = connectionKeys(`${isolation.redisPrefix}dp:`).connection(id);
    await eventually(async () => (await redis.exists(key)) === 0);
    expect([b.received, await b.count('refused')]).toEqual([[], 1]);
  });

  it('a replica that has as many as it may takes none over, and another one does', async () => {
    const [a, b, c] = [await replica(), await replica({ connectionsMax: 1 }), await replica()];
    const [moving, staying] = [await device(a), await device(b)];
    await moving.ask('one', `one ${a.name}`);
    await staying.ask('one', `one ${b.name}`);
    await kill(a);
    await together(b, c);
    moving.talkTo(b);
    moving.line.send(Buffer.from('two'));
    await eventually(async () => expect(await b.count('dropped')).toBe(1));
    expect([await b.count('taken'), b.server.gauges().connections]).toEqual([0, 1]);
    moving.talkTo(c);
    await moving.ask('three', `three ${c.name}`);
    expect(c.server.counters()['handshake-started']).toBe(0);
  });

  it('nor does it after a restart, when it would continue those that it had before', async () => {
    const [a, c] = [await replica(), await replica()];
    const moving = await device(a);
    await moving.ask('one', `one ${a.name}`);
    const [id = ''] = a.owned.ids();
    await kill(a, { leaseEnds: false });
    const again = await replica({ name: a.name, connectionsMax: 1 });
    const staying = await device(again);
    await staying.ask('one', `one ${again.name}`);
    expect([await again.shared.resume(id), await again.count('taken')]).toEqual([false, 0]);
    await together(c);
    moving.talkTo(c);
    await moving.ask('two', `two ${c.name}`);
    expect(c.server.counters()['handshake-started']).toBe(0);
  });

  it('a replica whose last room another connection took meanwhile leaves what it has taken over to others', async () => {
    const [a, b, c] = [await replica(), await replica({ connectionsMax: 1 }), await replica()];
    const things = [await device(a), await device(a)];
    for (const thing of things) await thing.ask('one', `one ${a.name}`);
    const ids = [...a.owned.ids()];
    await kill(a);
    await together(b, c);
    // There is room for one, and both are asked for before either is there.
    const resumed = await Promise.all(ids.map((id) => b.shared.resume(id)));
    expect([[...resumed].sort(), await b.count('taken')]).toEqual([[false, true], 1]);
    const left = things[resumed.indexOf(false)] as (typeof things)[number];
    left.talkTo(c);
    await left.ask('two', `two ${c.name}`);
    expect(c.server.counters()).toMatchObject({ 'handshake-started': 0, 'connection-restored': 1 });
  });

  it('a replica that cannot read what it has taken over leaves it to those that can', async () => {
    const [a, b, c] = [await replica(), await replica({ encryptionKey: Buffer.alloc(32, 2) }), await replica()];
    const thing = await device(a);
    await thing.ask('one', `one ${a.name}`);
    await kill(a);
    await together(b, c);
    thing.talkTo(b);
    thing.line.send(Buffer.from('two'));
    await eventually(async () => expect(await b.count('unreadable')).toBe(1));
    expect(b.server.gauges().connections).toBe(0);
    thing.talkTo(c);
    await thing.ask('three', `three ${c.name}`);
    expect(c.server.counters()).toMatchObject({ 'handshake-started': 0, 'connection-restored': 1 });
  });

  it('while Redis is away known connections continue, and records of others are dropped until it is back', async () => {
    const line = await TcpLine.open(infrastructure().redisUrl);
    const own = new Redis(line.url, { maxRetriesPerRequest: 1, commandTimeout: 5_000, retryStrategy: () => 100 });
    own.on('error', () => undefined);
    const [a, b] = [await replica(), await replica({ redis: own })];
    const [moving, staying] = [await device(a), await device(b)];
    await moving.ask('one', `one ${a.name}`);
    await staying.ask('one', `one ${b.name}`);
    await together(b);
    await kill(a);
    await together(b);
    line.refuse();
    await staying.ask('two', `two ${b.name}`);
    moving.talkTo(b);
    moving.line.send(Buffer.from('two'));
    await eventually(async () => expect(await b.count('dropped')).toBe(1));
    line.heal();
    await moving.ask('three', `three ${b.name}`);
    await staying.ask('three', `three ${b.name}`);
    expect(b.server.counters()['handshake-started']).toBe(1);
    replicas.delete(b);
    await b.drain();
    own.disconnect();
    line.close();
  });

  it('a closed connection leaves nothing behind', async () => {
    const a = await replica();
    const thing = await device(a);
    await thing.ask('one', `one ${a.name}`);
    const id = [...a.owned.ids()][0] as string;
    thing.line.disconnect();
    const key = connectionKeys(`${isolation.redisPrefix}dp:`).connection(id);
    await eventually(async () => (await redis.exists(key)) === 0);
    expect([...a.owned.ids()]).toEqual([]);
  });

  it('messages on the peer port that are forged, changed, late or repeated do nothing', async () => {
    const [a, b] = [await replica(), await replica()];
    await together(a, b);
    const attacker = createSocket('udp4');
    const send = (bytes: Buffer): void => attacker.send(bytes, a.peerPortNumber, '127.0.0.1');
    const master = Buffer.alloc(32, 1);
    const right = { id: encryptionKeyId(master), key: deriveKey(master, 'device-proxy inner port') };
    const wrong = { ...right, key: Buffer.alloc(32) };
    const message = {
      kind: 'record',
      owner: b.slots.owner,
      sequence: 7,
      timeMs: Date.now(),
      address: { address: '127.0.0.1', port: 9 },
      payload: Buffer.from('no record'),
    } as const;
    send(encodePeerMessage(message, wrong));
    const changed = encodePeerMessage(message, right);
    changed[changed.length - 17]! ^= 1;
    send(changed);
    send(Buffer.alloc(3));
    await eventually(async () => (await a.count('peer-forged')) === 3);
    send(encodePeerMessage({ ...message, timeMs: Date.now() - 31_000 }, right));
    await eventually(async () => (await a.count('peer-late')) === 1);
    const fresh = encodePeerMessage({ ...message, timeMs: Date.now() }, right);
    send(fresh);
    send(fresh);
    await eventually(async () => (await a.count('peer-replayed')) === 1);
    expect(await a.count('forwarded-here')).toBe(1);
    attacker.close();
  });

  it('a forwarded record is never forwarded again', async () => {
    const [a, b, c] = [await replica(), await replica(), await replica()];
    const thing = await device(a);
    await thing.ask('one', `one ${a.name}`);
    await kill(a);
    await together(b, c);
    thing.talkTo(b);
    await thing.ask('two', `two ${b.name}`);
    // What c believes to be right is out of date: it sends the record to a replica that does not have it.
    const d = await replica();
    await together(c, d);
    const id = Buffer.from(b.arrived[0] as string, 'hex');
    const record = Buffer.concat([Buffer.from('19fefd0001000000000fff', 'hex'), id, Buffer.from([0, 4, 1, 2, 3, 4])]);
    c.peerPort.send(d.slots.owner, { kind: 'record', address: { address: '127.0.0.1', port: 9 }, payload: record });
    await eventually(async () => (await d.count('misdirected')) === 1);
    expect(await d.count('forwarded')).toBe(0);
    // c looks for the owner itself from now on.
    thing.talkTo(c);
    await thing.ask('three', `three ${b.name}`);
  });

  it('invented ids keep neither memory nor Redis busy without bound, and ids that Redis does not have are remembered', async () => {
    const a = await replica();
    const attacker = createSocket('udp4');
    await new Promise<void>((bound) => attacker.bind(0, '127.0.0.1', bound));
    const record = (n: number): Buffer => {
      const id = Buffer.alloc(8, 0xee);
      id.writeUInt32BE(n, 2);
      return Buffer.concat([Buffer.from('19fefd0001000000000fff', 'hex'), id, Buffer.from([0, 1, 0])]);
    };
    const from = { address: '127.0.0.1', port: attacker.address().port };
    for (let n = 0; n < 3 * waitingConnectionsMax; n++) a.receive(record(n), from);
    await eventually(async () => (await a.count('unknown')) + (await a.count('dropped')) === 3 * waitingConnectionsMax);
    expect(await a.count('unknown')).toBeLessThanOrEqual(waitingConnectionsMax);
    const known = record(0);
    // The result of its first lookup may count no longer.
    const looked = await a.count('unknown');
    a.receive(known, from);
    await eventually(async () => (await a.count('unknown')) === looked + 1);
    const before = await a.count('unknown');
    for (let n = 0; n < 10; n++) a.receive(known, from);
    expect(await a.count('unknown')).toBe(before + 10);
    expect(connectionIdOf(known)).toBe('eeee00000000eeee');
    attacker.close();
  });
});
