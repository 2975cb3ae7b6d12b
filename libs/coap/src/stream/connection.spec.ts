import { describe, expect, it } from '@jest/globals';
import { type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { ManualClock } from '../../test/manual-clock.js';
import { Code } from '../codec/code.js';
import { Connection } from './connection.js';
import { StreamCore } from './core.js';
import { csm, ping } from './signals.js';
import { streamPeer } from './stream-peer.js';

/** `reads`: whether the peer takes the bytes that it is sent. */
const connected = (reads: boolean) => {
  const duplex = new Duplex({
    read: () => undefined,
    write: (_chunk, _encoding, done) => {
      if (reads) done();
    },
  });
  const socket = Object.assign(duplex, { setNoDelay: () => duplex }) as unknown as Socket;
  const core = new StreamCore({
    clock: new ManualClock(),
    limits: { sendBufferBytesMax: 1_048_576 },
    onRequest: async () => ({ code: Code.Content }),
  });
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
