import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../test/manual-clock.js';
import { Code } from '../codec/code.js';
import { type CoapMessage } from '../codec/message.js';
import { InvalidPeerAddress, PeerForgotten, QueueFull } from '../errors.js';
import { TimerWheel } from '../timing/timer-wheel.js';
import { AnswerRing, fingerprintOf, type RememberedAnswer } from './answer-ring.js';
import { PeerQueue } from './peer-queue.js';
import { PeerTable } from './peer-table.js';
import { peerKey, peerOf } from '../messages/peer.js';

describe('peerOf', () => {
  it('gives IPv4 peers a number and IPv6 peers a text', () => {
    expect(peerOf('10.0.0.1', 5_683).key).toBe(0x0a000001 * 65_536 + 5_683);
    expect(peerOf('255.255.255.255', 65_535).key).toBe(2 ** 48 - 1);
    expect(peerOf('0:0::1', 9)).toEqual({ key: '[::1]:9', address: '::1', port: 9, authority: '[::1]:9' });
    expect(peerOf('10.0.0.7', 5_683).authority).toBe('10.0.0.7:5683');
    expect(peerOf('fe80::1%eth0', 9).key).toBe(peerKey('fe80::1%eth0', 9));
  });

  it.each([
    ['localhost', 1],
    ['10.0.0.256', 1],
    ['10.0.0.1', 0],
    ['10.0.0.1', 65_536],
  ])('refuses %s port %d', (address, port) => {
    expect(() => peerOf(address, port)).toThrow(InvalidPeerAddress);
  });
});

describe('AnswerRing', () => {
  const message = (messageId: number, more: Partial<CoapMessage> = {}): CoapMessage => ({
    type: 'CON',
    code: Code.POST,
    messageId,
    token: Buffer.from('t'),
    options: [],
    payload: Buffer.from('payload'),
    ...more,
  });
  const answerTo = (messageId: number): RememberedAnswer => ({
    messageId,
    token: '74',
    print: fingerprintOf(message(messageId)),
    answer: `answer ${messageId}`,
    atMs: 1_000,
  });

  it('keeps the last ones, for the exchange lifetime, by message id, token and payload', () => {
    const ring = new AnswerRing();
    for (let id = 0; id < 9; id += 1) ring.remember(answerTo(id), 8);
    expect(ring.find(message(0), 1_000)).toBeUndefined();
    expect(ring.find(message(1), 1_000)).toBe('answer 1');
    expect(ring.find(message(1, { token: Buffer.from('other') }), 1_000)).toBeUndefined();
    expect(ring.find(message(1, { payload: Buffer.from('other') }), 1_000)).toBeUndefined();
    expect(ring.find(message(8), 247_999)).toBe('answer 8');
    expect(ring.find(message(8), 248_000)).toBeUndefined();
    expect(ring.find(message(8, { type: 'NON' }), 145_999)).toBe('answer 8');
    expect(ring.find(message(8, { type: 'NON' }), 146_000)).toBeUndefined();
  });

  it('keeps none where it may not, neither for its peer nor for another', () => {
    const rings = [new AnswerRing(), new AnswerRing()];
    rings[0]!.remember(answerTo(1), 0);
    expect(rings.map((ring) => ring.find(message(1), 1_000))).toEqual([undefined, undefined]);
  });
});

describe('PeerQueue', () => {
  it('runs one after the other, continues after a failure, and is bounded', async () => {
    const queue = new PeerQueue();
    const order: string[] = [];
    const job =
      (name: string, fail = false) =>
      async () => {
        order.push(`${name} begins`);
        await Promise.resolve();
        order.push(`${name} ends`);
        if (fail) throw new Error(name);
        return name;
      };
    const all = [queue.run(job('a', true), 2), queue.run(job('b'), 2), queue.run(job('c'), 2), queue.run(job('d'), 2)];
    const ends = await Promise.allSettled(all);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'rejected']);
    expect((ends[3] as PromiseRejectedResult).reason).toBeInstanceOf(QueueFull);
    expect(order).toEqual(['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]));
    expect([queue.busy, queue.length]).toEqual([false, 0]);
  });
});

describe('PeerTable', () => {
  const table = (unkeptMax: number) => {
    const clock = new ManualClock();
    return { clock, peers: new PeerTable(unkeptMax, clock, new TimerWheel(clock), () => undefined) };
  };

  it('drops idle peers that are not kept, kept ones stay', () => {
    const { clock, peers } = table(10);
    peers.obtain(peerOf('10.0.0.1', 1));
    peers.keep(peerOf('10.0.0.2', 1));
    const busy = peers.obtain(peerOf('10.0.0.3', 1));
    void busy.queue.run(() => new Promise(() => undefined), 1);
    clock.advance(247_100);
    expect([peers.size, peers.keptSize]).toEqual([2, 1]);
    peers.forget(peerOf('10.0.0.2', 1));
    expect(peers.size).toBe(1);
  });

  it('makes room by dropping an idle peer, and refuses when all are in use', () => {
    const { peers } = table(1);
    const first = peers.obtain(peerOf('10.0.0.1', 1));
    const second = peers.obtain(peerOf('10.0.0.2', 1));
    expect(first.gone).toBeInstanceOf(PeerForgotten);
    void second.queue.run(() => new Promise(() => undefined), 1);
    expect(() => peers.obtain(peerOf('10.0.0.3', 1))).toThrow(QueueFull);
  });
});
