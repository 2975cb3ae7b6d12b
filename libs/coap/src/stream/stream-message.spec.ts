import { describe, expect, it } from '@jest/globals';
import { MalformedMessage, MessageTooLarge, UnencodableMessage } from '../errors.js';
import { FrameReader } from './frame-reader.js';
import { Code } from '../codec/code.js';
import { encodeFrame, type StreamMessage } from '../codec/stream-message.js';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const MAX = 1_100_000;

const readAll = (bytes: Buffer, max = MAX): StreamMessage[] => {
  const reader = new FrameReader(max);
  reader.push(bytes);
  const messages: StreamMessage[] = [];
  for (let next = reader.next(); next !== undefined; next = reader.next()) messages.push(next);
  return messages;
};

const message = (over: Partial<StreamMessage>): StreamMessage => ({
  code: Code.GET,
  token: Buffer.alloc(0),
  options: [],
  payload: Buffer.alloc(0),
  ...over,
});

/** Mulberry32: the same numbers on every machine. */
const seeded = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
};

describe('messages of a byte stream', () => {
  it('reads the examples of RFC 8323 §3.2 and §5.4', () => {
    // Figure 6: 0x01 0x43 0x7f, 2.03 with a token.
    expect(readAll(hex('01 43 7f'))).toEqual([message({ code: Code.Valid, token: hex('7f') })]);
    expect(readAll(hex('01 e2 42 01 e3 42')).map(({ code, token }) => [code, token.toString('hex')])).toEqual([
      [0xe2, '42'],
      [0xe3, '42'],
    ]);
  });

  it.each([0, 11, 12, 13, 268, 269, 65_804, 65_805, 1_048_576])('a payload of %i bytes comes back', (bytes) => {
    const given = message({ code: Code.PUT, token: hex('0102'), payload: Buffer.alloc(bytes, 7) });
    expect(readAll(encodeFrame(given))).toEqual([given]);
  });

  it('reads messages however the stream is cut', () => {
    const given = [
      message({ options: [{ number: 11, value: Buffer.from('rd') }] }),
      message({ code: Code.Content, token: hex('01'), payload: Buffer.alloc(300, 1) }),
      message({ code: 0 }),
      message({ code: 0xe1 }),
    ];
    const bytes = Buffer.concat(given.map(encodeFrame));
    for (const step of [1, 2, 3, 7, 100, 299]) {
      const reader = new FrameReader(MAX);
      const read: StreamMessage[] = [];
      for (let at = 0; at < bytes.length; at += step) {
        reader.push(bytes.subarray(at, at + step));
        for (let next = reader.next(); next !== undefined; next = reader.next()) read.push(next);
      }
      expect(read).toEqual(given);
      expect(reader.heldBytes).toBe(0);
    }
  });

  it('holds few buffers of a message that comes byte by byte', () => {
    const given = message({ code: Code.PUT, payload: Buffer.alloc(5_000, 7) });
    const bytes = encodeFrame(given);
    const reader = new FrameReader(MAX);
    let most = 0;
    for (const byte of bytes.subarray(0, -1)) {
      reader.push(Buffer.from([byte]));
      expect(reader.next()).toBeUndefined();
      most = Math.max(most, (Reflect.get(reader, 'chunks') as Buffer[]).length);
    }
    expect(most).toBeLessThanOrEqual(1_024);
    reader.push(bytes.subarray(-1));
    expect(reader.next()).toEqual(given);
  });

  it('keeps no large buffer for the beginning of the next message', () => {
    const bytes = encodeFrame(message({ code: Code.PUT, payload: Buffer.alloc(1_000_000) }));
    const reader = new FrameReader(MAX);
    reader.push(Buffer.concat([bytes, bytes.subarray(0, 5_000)]));
    expect(reader.next()?.payload).toHaveLength(1_000_000);
    expect(reader.next()).toBeUndefined();
    const [kept] = Reflect.get(reader, 'chunks') as Buffer[];
    expect(reader.heldBytes).toBe(5_000);
    expect(kept?.buffer.byteLength).toBeLessThanOrEqual(20_000);
  });

  it.each([
    ['token length 9', '09 01 010203040506070809'],
    ['token length 15', '0f 01'],
    ['code class 1', '00 20'],
    ['code class 6', '00 c0'],
    ['a payload marker without payload', '10 01 ff'],
    ['option delta 15', '20 01 f1 61'],
    ['a value beyond the end of the message', '20 01 b5 61 61'],
    ['an extension beyond the end of the message', '10 01 d0 00'],
    ['an option number above 65535', '60 01 e0 ff00 e0 ff00'],
    ['1,025 options', `e0 02f4 01 ${'00'.repeat(1_025)}`],
  ])('refuses %s', (_name, bytes) => {
    expect(() => readAll(hex(bytes))).toThrow(MalformedMessage);
  });

  it('refuses what is too large before it is there, and reserves nothing for it', () => {
    expect(() => readAll(hex('f0 ffffffff 01'))).toThrow(MessageTooLarge);
    const reader = new FrameReader(MAX);
    reader.push(hex('f0 000e0000 01'));
    expect(reader.next()).toBeUndefined();
    expect(reader.heldBytes).toBe(6);
    expect(() => readAll(encodeFrame(message({ payload: Buffer.alloc(1_152) })), 1_152)).toThrow(MessageTooLarge);
  });

  it('an empty message is read whatever it carries', () => {
    expect(readAll(hex('20 00 ff ff'))).toEqual([message({ code: 0 })]);
  });

  it.each<[string, Partial<StreamMessage>]>([
    ['a token of nine bytes', { token: Buffer.alloc(9) }],
    ['code class 1', { code: 0x20 }],
    ['a code of nine bits', { code: 256 }],
    ['options out of order', { options: [3, 1].map((number) => ({ number, value: Buffer.alloc(0) })) }],
  ])('does not write %s', (_name, over) => {
    expect(() => encodeFrame(message(over))).toThrow(UnencodableMessage);
  });

  it('60,000 hostile streams are read or refused, never more', () => {
    const random = seeded(8_323);
    const below = (max: number): number => Math.floor(random() * max);
    const good = [
      hex('42 45 0102 61 05 ff 41'),
      hex('d2 0e 02 0102 b2 7264 44 65703d61 04 6c743d31 ff 3c2f333e 3c2f333e 3c'),
      hex('30 e1 22 0480'),
      hex('01 e2 42'),
    ];
    let read = 0;
    for (let run = 0; run < 60_000; run += 1) {
      const bytes = Buffer.concat([good[below(4)]!, good[below(4)]!]);
      for (let change = below(4); change >= 0; change -= 1) bytes[below(bytes.length)] = below(256);
      try {
        const messages = readAll(bytes.subarray(0, random() < 0.3 ? below(bytes.length + 1) : bytes.length), 2_000);
        read += messages.length;
        if (run % 20 === 0) for (const one of messages) expect(readAll(encodeFrame(one))).toEqual([one]);
      } catch (error) {
        if (!(error instanceof MalformedMessage) && !(error instanceof MessageTooLarge)) throw error;
      }
    }
    expect(read).toBeGreaterThan(10_000);
  });
});
