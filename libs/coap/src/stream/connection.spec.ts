import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { ManualClock } from '../../test/manual-clock.js';
import { Code } from '../codec/code.js';
import { Connection } from './connection.js';
import { StreamCore } from './core.js';
import { type StreamLimits } from './limits.js';
import { csm, ping } from './signals.js';
import { streamPeer } from './stream-peer.js';

const coreWith = (limits: Partial<StreamLimits> = {}, clock = new ManualClock()): StreamCore =>
  new StreamCore({
    clock,
    limits: { sendBufferBytesMax: 1_048_576, ...limits },
    onRequest: async () => ({ code: Code.Content }),
  });

/** `reads`: whether the peer takes the bytes that it is sent. */
const connected = (reads: boolean, core = coreWith()) => {
  const duplex = new Duplex({
    read: () => undefined,
    write: (_chunk, _encoding, done) => {
      if (reads) done();
    },
  });
  const socket = Object.assign(duplex, { setNoDelay: () => duplex }) as unknown as Socket;
  const events = { opened: () => undefined, message: () => undefined, closed: () => undefined, idle: () => true };
  const connection = new Connection(streamPeer('192.0.2.1', 40_001, 1), socket, core, events);
  socket.emit('data', csm(1_000_000));
  return { connection, core, socket };
};

const pings = (count: number): Buffer => Buffer.concat(Array.from({ length: count }, () => ping(Buffer.alloc(0))));

describe('many tiny messages', () => {
  it('that wait for a peer that reads nothing end the connection long before their bytes reach the limit', () => {
    const { connection, core, socket } = connected(false);
    socket.emit('data', pings(60_000));
    expect([connection.isClosed, core.counters['connection-slow']]).toEqual([true, 1]);
  });

  it('are no reason to end the connection of a peer that reads them', () => {
    const { connection, core, socket } = connected(true);
    socket.emit('data', pings(60_000));
    expect([connection.isOpen, core.counters['connection-slow']]).toEqual([true, 0]);
  });
});

describe('what waits for all peers together', () => {
  it('is limited: the connection ends for which most bytes wait, and no other', () => {
    const core = coreWith({ waitingBytesMax: 1_000_000 });
    const [most, less] = [connected(false, core), connected(false, core)];
    most.socket.emit('data', pings(3_000));
    less.socket.emit('data', pings(500));
    expect([most.connection.isOpen, less.connection.isOpen]).toEqual([true, true]);
    less.socket.emit('data', pings(500));
    expect([most.connection.isOpen, less.connection.isOpen]).toEqual([false, true]);
    expect(core.counters['connection-slow']).toBe(1);
    expect([most.connection.waitingBytes, core.waitingBytes]).toEqual([0, less.connection.waitingBytes]);
  });

  it('counts until it is sent, or until the socket is closed', async () => {
    const clock = new ManualClock();
    const core = coreWith({}, clock);
    const reading = connected(true, core);
    reading.socket.emit('data', pings(100));
    const silent = connected(false, core);
    silent.connection.abort('over');
    await new Promise((resolve) => setImmediate(resolve));
    expect(reading.connection.waitingBytes).toBe(0);
    expect(core.waitingBytes).toBeGreaterThan(0);
    clock.advance(2_100);
    await once(silent.socket, 'close');
    expect([core.waitingBytes, core.buffered.size]).toEqual([0, 1]);
  });
});

describe('incomplete messages of all peers together', () => {
  /** The first bytes of a message of more than 64 KiB. */
  const beginning = (bytes: number): Buffer => Buffer.concat([Buffer.from('f000008000', 'hex'), Buffer.alloc(bytes)]);

  it('are limited: the connection with most of them is aborted, and no other', () => {
    const core = coreWith({ incompleteBytesMax: 20_000 });
    const [most, less] = [connected(true, core), connected(true, core)];
    most.socket.emit('data', beginning(15_000));
    less.socket.emit('data', beginning(4_000));
    expect([most.connection.isOpen, less.connection.isOpen]).toEqual([true, true]);
    less.socket.emit('data', Buffer.alloc(2_000));
    expect([most.connection.isOpen, less.connection.isOpen]).toEqual([false, true]);
    expect(core.incompleteBytes).toBe(6_005);
    expect(core.counters).toMatchObject({ 'message-too-large': 1, 'abort-sent': 1 });
  });
});

describe('a connection that was not read for longer than a Pong may take', () => {
  it('is not silent: the Pong may have arrived, and is read next', () => {
    const clock = new ManualClock();
    const { connection, core } = connected(true, coreWith({ pongTimeoutMs: 30_000 }, clock));
    connection.checkAlive();
    connection.setPaused(true);
    clock.advance(31_000);
    connection.setPaused(false);
    connection.inspect();
    expect(connection.isOpen).toBe(true);
    clock.advance(31_000);
    connection.inspect();
    expect([connection.isOpen, core.counters['connection-silent']]).toEqual([false, 1]);
  });
});
