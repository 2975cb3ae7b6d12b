import { describe, expect, it } from '@jest/globals';
import { MalformedMessage, UnencodableMessage } from '../errors.js';
import { Code } from './code.js';
import { codeProblem, decodeMessage } from './decode.js';
import { encodeMessage } from './encode.js';
import { type CoapMessage, type CoapOption, type MessageType } from './message.js';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

const problemOf = (bytes: Buffer): MalformedMessage => {
  try {
    decodeMessage(bytes);
  } catch (error) {
    if (error instanceof MalformedMessage) return error;
    throw error;
  }
  throw new Error(`${bytes.toString('hex')} was accepted`);
};

/** Mulberry32: the same numbers on every machine. */
const seeded = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
};

describe('decodeMessage', () => {
  it('reads the examples of RFC 7252 appendix A', () => {
    const request = decodeMessage(hex('40 01 7d34 bb 74656d7065726174757265'));
    expect(request).toMatchObject({ type: 'CON', code: Code.GET, messageId: 0x7d34 });
    expect(request.options).toEqual([{ number: 11, value: Buffer.from('temperature') }]);
    const answer = decodeMessage(hex('61 45 7d35 20 ff 32322e332043'));
    expect(answer).toMatchObject({ type: 'ACK', code: Code.Content, messageId: 0x7d35, options: [] });
    expect(answer.token).toEqual(hex('20'));
    expect(answer.payload.toString()).toBe('22.3 C');
  });

  it('reads 1,024 options, and refuses a message with more', () => {
    const message = (count: number): Buffer => Buffer.concat([hex('40 01 0001 b0'), Buffer.alloc(count - 1)]);
    expect(decodeMessage(message(1_024)).options).toHaveLength(1_024);
    expect(problemOf(message(1_025))).toMatchObject({ reason: 'more than 1024 options', header: { messageId: 1 } });
  });

  it('reads extended option deltas and lengths', () => {
    const long = Buffer.alloc(300, 0x61);
    const bytes = Buffer.concat([hex('40 01 0001 dd 2f 00'), Buffer.alloc(13, 1), hex('ee 0100 001f'), long]);
    const { options } = decodeMessage(bytes);
    expect(options.map(({ number, value }) => [number, value.length])).toEqual([
      [60, 13],
      [60 + 269 + 256, 300],
    ]);
  });

  it.each([
    ['nothing', '', 'shorter than a header', false],
    ['three bytes', '40 01 00', 'shorter than a header', false],
    ['version 0', '00 01 0001', 'unknown version', false],
    ['version 2', '80 01 0001', 'unknown version', false],
    ['token length 9', '49 01 0001 010203040506070809', 'token length above 8', true],
    ['token length 15', '4f 01 0001 0102030405060708090a0b0c0d0e0f', 'token length above 8', true],
    ['token length 8 with two bytes', '48 01 0001 0102', 'token overruns the message', true],
    ['empty message with a token', '41 00 0001 01', 'empty message with content', true],
    ['empty message with a payload', '40 00 0001 ff 01', 'empty message with content', true],
    ['empty message that announces a token', '41 00 0001', 'token overruns the message', true],
    ['empty non-confirmable message', '50 00 0001', 'empty non-confirmable message', true],
    ['Reset with a code', '70 45 0001', 'Reset that is not empty', true],
    ['request in an acknowledgement', '60 01 0001', 'request in an acknowledgement', true],
    ['code class 1', '40 20 0001', 'reserved code class', true],
    ['code class 6', '40 c0 0001', 'reserved code class', true],
    ['code class 7', '40 e1 0001', 'reserved code class', true],
    ['payload marker without payload', '40 01 0001 ff', 'payload marker without payload', true],
    ['payload marker after an option', '40 01 0001 b1 61 ff', 'payload marker without payload', true],
    ['option delta 15', '40 01 0001 f1 61', 'reserved option delta or length', true],
    ['option length 15', '40 01 0001 1f 61', 'reserved option delta or length', true],
    ['value beyond the end', '40 01 0001 b5 61', 'option value overruns the message', true],
    ['extended value beyond the end', '40 01 0001 bd 10 61', 'option value overruns the message', true],
    ['one-byte extension missing', '40 01 0001 d0', 'option header overruns the message', true],
    ['two-byte extension cut', '40 01 0001 e0 01', 'option header overruns the message', true],
    ['length extension missing', '40 01 0001 dd 01', 'option header overruns the message', true],
    ['option number above 65535', '40 01 0001 e0 ff00 e0 ff00', 'option number above 65535', true],
  ])('refuses %s', (_name, bytes, reason, withHeader) => {
    const problem = problemOf(hex(bytes));
    expect(problem.reason).toBe(reason);
    expect(problem.header !== undefined).toBe(withHeader);
    if (withHeader) expect(problem.header?.messageId).toBe(1);
  });
});

describe('encodeMessage', () => {
  const message = (over: Partial<CoapMessage>): CoapMessage => ({
    type: 'CON',
    code: Code.GET,
    messageId: 7,
    token: Buffer.alloc(0),
    options: [],
    payload: Buffer.alloc(0),
    ...over,
  });

  it('does not change its argument and writes the shortest form', () => {
    const options = [{ number: 11, value: Buffer.from('rd') }];
    const given = Object.freeze(message({ options, token: hex('aa'), payload: Buffer.from('x') }));
    expect(encodeMessage(given)).toEqual(hex('41 01 0007 aa b2 7264 ff 78'));
    expect(given.options).toBe(options);
  });

  it.each<[string, Partial<CoapMessage>]>([
    ['a token of nine bytes', { token: Buffer.alloc(9) }],
    ['a message id of 17 bits', { messageId: 65_536 }],
    ['options out of order', { options: [3, 1].map((number) => ({ number, value: Buffer.alloc(0) })) }],
    ['an option number of 17 bits', { options: [{ number: 65_536, value: Buffer.alloc(0) }] }],
    ['an option value of 70,000 bytes', { options: [{ number: 1, value: Buffer.alloc(70_000) }] }],
    ['an empty message with a payload', { code: 0, payload: hex('01') }],
    ['code class 7', { code: 0xe1 }],
    ['a code of nine bits', { code: 256 }],
    ['a Reset with a code', { type: 'RST' }],
  ])('refuses %s', (_name, over) => {
    expect(() => encodeMessage(message(over))).toThrow(UnencodableMessage);
  });

  it('is undone by decodeMessage for 20,000 random messages', () => {
    const random = seeded(7_252);
    const below = (max: number): number => Math.floor(random() * max);
    const bytes = (max: number): Buffer => Buffer.from(Array.from({ length: below(max) }, () => below(256)));
    const anyOptions = (): CoapOption[] => {
      let number = 0;
      return Array.from({ length: below(6) }, () => {
        number += below(random() < 0.1 ? 9_000 : 40);
        return { number, value: bytes(random() < 0.05 ? 700 : 20) };
      });
    };
    for (let run = 0; run < 20_000; run += 1) {
      const type = (['CON', 'NON', 'ACK', 'RST'] as MessageType[])[below(4)]!;
      const code = below(256);
      if (codeProblem(type, code) !== undefined) continue;
      const content = code === 0 ? {} : { token: bytes(9), options: anyOptions(), payload: bytes(60) };
      const given = message({ type, code, messageId: below(65_536), ...content });
      expect(decodeMessage(encodeMessage(given))).toEqual(given);
    }
  });
});

describe('100,000 hostile datagrams', () => {
  it('are read or refused as malformed, and what is read can be written back', () => {
    const random = seeded(19_700_101);
    const below = (max: number): number => Math.floor(random() * max);
    const good = [
      hex('48 02 1234 0102030405060708 b2 7264 44 65703d61 04 6c743d31 ff 3c2f333e'),
      hex('58 45 0101 0102030405060708 61 05 61 3c d1 0a 0e ff 00112233'),
      hex('44 01 0002 01020304 b1 33 01 30 81 0e 06'),
    ];
    const mutated = (): Buffer => {
      const bytes = Buffer.from(good[below(good.length)]!);
      for (let change = below(4); change >= 0; change -= 1) bytes[below(bytes.length)] = below(256);
      return bytes.subarray(0, random() < 0.3 ? below(bytes.length + 1) : bytes.length);
    };
    const noise = (): Buffer => {
      const bytes = Buffer.from(Array.from({ length: below(48) }, () => below(256)));
      if (bytes.length > 0 && random() < 0.8) bytes[0] = 0x40 | (bytes[0]! & 0x3f);
      return bytes;
    };
    let read = 0;
    for (let run = 0; run < 100_000; run += 1) {
      const datagram = run % 2 === 0 ? mutated() : noise();
      let message: CoapMessage;
      try {
        message = decodeMessage(datagram);
      } catch (error) {
        if (!(error instanceof MalformedMessage)) throw error;
        continue;
      }
      read += 1;
      const again = decodeMessage(encodeMessage(message));
      if (read % 50 === 0) expect(again).toEqual(message);
    }
    expect(read).toBeGreaterThan(10_000);
  });
});
