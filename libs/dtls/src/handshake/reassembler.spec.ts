import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { randomFrom } from '../../test/network.js';
import { type HandshakeFragment } from '../messages/handshake.js';
import { Reassembler } from './reassembler.js';

const part = (body: Buffer, from: number, to: number, messageSequence = 0): HandshakeFragment => ({
  type: 11,
  length: body.length,
  messageSequence,
  offset: from,
  fragment: body.subarray(from, to),
});

describe('fragments of a handshake message', () => {
  it.each([1, 2, 3, 4, 5, 6])('overlapping, repeated and in any order make the message (seed %d)', (seed) => {
    const random = randomFrom(seed);
    const body = randomBytes(1_000);
    const reassembler = new Reassembler(0);
    let message;
    for (let count = 0; message === undefined && count < 2_000; count += 1) {
      const from = Math.floor(random() * body.length);
      reassembler.add(part(body, from, Math.min(body.length, from + 1 + Math.floor(random() * 200))));
      message = reassembler.takeMessage();
    }
    expect(message).toEqual({ type: 11, messageSequence: 0, body });
    expect(reassembler.next).toBe(1);
  });

  it('of a retransmission in other sizes complete what the first one left open', () => {
    const body = randomBytes(300);
    const reassembler = new Reassembler(0);
    for (const [from, to] of [
      [0, 100],
      [200, 300],
      [50, 150],
      [150, 260],
    ] as const) {
      expect(reassembler.takeMessage()).toBeUndefined();
      reassembler.add(part(body, from, to));
    }
    expect(reassembler.takeMessage()?.body).toEqual(body);
  });

  it('that contradict the first ones change nothing: of a byte, a length or a type', () => {
    const body = Buffer.alloc(20, 1);
    const other = Buffer.alloc(20, 2);
    const reassembler = new Reassembler(0);
    reassembler.add(part(body, 0, 10));
    reassembler.add(part(other, 0, 10));
    reassembler.add(part(Buffer.alloc(30, 3), 10, 30));
    reassembler.add({ ...part(other, 10, 20), type: 12 });
    expect(reassembler.takeMessage()).toBeUndefined();
    reassembler.add(part(body, 5, 20));
    expect(reassembler.takeMessage()?.body).toEqual(body);
  });

  it('of the past and of the far future are dropped, and those ahead wait for their turn', () => {
    const [first, second] = [randomBytes(4), randomBytes(5)];
    const reassembler = new Reassembler(3);
    reassembler.add(part(first, 0, 4, 2));
    reassembler.add(part(first, 0, 4, 12));
    reassembler.add(part(second, 0, 5, 4));
    expect(reassembler.takeMessage()).toBeUndefined();
    reassembler.add(part(first, 0, 4, 3));
    expect([reassembler.takeMessage()?.body, reassembler.takeMessage()?.body, reassembler.takeMessage()]).toEqual([
      first,
      second,
      undefined,
    ]);
  });

  it('hold a bounded number of bytes and pieces, whatever length they announce', () => {
    const reassembler = new Reassembler(0, { messagesAheadMax: 2, bytesMax: 100, fragmentsMax: 3 });
    const body = randomBytes(120);
    for (let from = 0; from < 120; from += 2) reassembler.add(part(body, from, from + 1));
    for (let from = 1; from < 120; from += 2) reassembler.add(part(body, from, from + 1));
    expect(reassembler.takeMessage()).toBeUndefined();
    const small = randomBytes(90);
    const bytes = new Reassembler(0, { messagesAheadMax: 2, bytesMax: 100, fragmentsMax: 3 });
    bytes.add(part(body, 0, 60, 1));
    bytes.add(part(small, 0, 90));
    expect(bytes.takeMessage()).toBeUndefined();
    bytes.add(part(small, 0, 40));
    bytes.add(part(small, 40, 90));
    expect(bytes.takeMessage()).toBeUndefined();
  });

  it('an empty message needs one empty fragment', () => {
    const reassembler = new Reassembler(0);
    reassembler.add(part(Buffer.alloc(0), 0, 0));
    expect(reassembler.takeMessage()?.body).toEqual(Buffer.alloc(0));
  });
});
