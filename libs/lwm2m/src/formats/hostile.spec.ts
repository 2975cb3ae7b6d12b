import { describe, expect, it } from '@jest/globals';
import { deviceCbor, deviceJson, deviceSenml, deviceTlv, deviceValues } from '../../test/device-object.js';
import { hex, seeded } from '../../test/seeded.js';
import { Malformed, UnsupportedFormat } from '../errors.js';
import { standardModels } from '../models/standard-models.js';
import { decodeSend, decodeValues } from './decode.js';
import { encodeValues } from './encode.js';
import { removeRoot } from './root.js';
import type { ResourceValue } from '../values/value.js';
import { cpuMs } from '../../test/cpu-time.js';

const models = standardModels();
const paths = [
  '/3',
  '/3/0',
  '/3/0/9',
  '/3/0/6/1',
  '/3303/0/5700',
  '/5/0/0',
  '/1/0/10',
  '/9/0/1',
  '/3/0/13',
  '/3311/0/5850',
];

const refusal = (error: unknown): undefined => {
  if (!(error instanceof Malformed || error instanceof UnsupportedFormat)) throw error;
  // The message goes back to the device: it must not carry the payload.
  if (error.message.length > 250) throw new Error('a message carries the payload', { cause: error });
  return undefined;
};

const decoded = (format: number, bytes: Buffer, path: string): ResourceValue[] | undefined => {
  try {
    removeRoot(format, bytes, '/3');
    return decodeValues(format, bytes, path, models, 0);
  } catch (error) {
    return refusal(error);
  }
};

/** Formats can write a value that was read, or refuse it with an error. */
const rewritten = (values: ResourceValue[]): void => {
  for (const value of values)
    for (const format of [0, 42, 60, 110, 112, 11_542, 11_544])
      try {
        encodeValues(format, value.path, [value]);
      } catch (error) {
        refusal(error);
      }
};

const valid: readonly (readonly [name: string, format: number, bytes: Buffer, readMin: number])[] = [
  ['text', 0, Buffer.from('-22.5e1'), 1_200],
  ['opaque', 42, hex('0102030405'), 4_000],
  ['CBOR', 60, hex('fb3ff199999999999a'), 200],
  ['SenML JSON', 110, Buffer.from(deviceSenml), 20],
  ['SenML CBOR', 112, deviceCbor, 200],
  ['TLV', 11_542, deviceTlv, 200],
  ['LwM2M JSON', 11_543, Buffer.from(deviceJson), 20],
  ['LwM2M CBOR', 11_544, encodeValues(11_544, '/3/0', deviceValues as ResourceValue[]), 200],
];

describe.each(valid)('%s', (_name, format, good, readMin) => {
  it('is read or refused when cut off at each byte', () => {
    for (let end = 0; end < good.length; end++) for (const path of paths) decoded(format, good.subarray(0, end), path);
  });

  it('is read or refused for 8,000 mutated and 8,000 random payloads', () => {
    const random = seeded(format + 1);
    const mutated = (): Buffer => {
      const bytes = Buffer.from(good);
      for (let change = random.below(3); change >= 0; change--) bytes[random.below(bytes.length)] = random.below(256);
      const [from, to] = random.chance(0.2)
        ? [random.below(bytes.length), random.below(bytes.length)]
        : [0, bytes.length];
      return random.chance(0.1)
        ? Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)])
        : bytes.subarray(from, to);
    };
    let read = 0;
    for (let run = 0; run < 16_000; run++) {
      const values = decoded(format, run % 2 ? mutated() : random.bytes(40), random.pick(paths));
      if (!values) continue;
      read += 1;
      if (read % 10 === 0) rewritten(values);
    }
    expect(read).toBeGreaterThan(readMin);
  });
});

it('15,000 payloads of JSON pieces are read or refused', () => {
  const random = seeded(8_259);
  const keys = [
    'n',
    'bn',
    't',
    'bt',
    'v',
    'bv',
    'vs',
    'vb',
    'vd',
    'vlo',
    'sv',
    'ov',
    'e',
    'bver',
    '__proto__',
    'x_',
    'toString',
  ];
  const values = [
    '0',
    '-1',
    '1e308',
    '1e999',
    'null',
    'true',
    '"/3/0/9"',
    '"9"',
    '"/3/0/"',
    '"1:2"',
    '"AQ=="',
    '{}',
    '[]',
    '""',
  ];
  const record = (): string =>
    `{${Array.from({ length: random.below(5) }, () => `"${random.pick(keys)}":${random.pick(values)}`).join(',')}}`;
  let read = 0;
  for (let run = 0; run < 15_000; run++) {
    const list = `[${Array.from({ length: random.below(4) }, record).join(',')}]`;
    const values = random.chance(0.5)
      ? decoded(110, Buffer.from(list), '/3/0')
      : decoded(11_543, Buffer.from(`{"bn":"/3/0/","e":${list}}`), '/3/0');
    if (values) read += 1;
    if (values) rewritten(values);
  }
  expect(read).toBeGreaterThan(1_500);
  expect(({} as Record<string, unknown>)['n']).toBeUndefined();
});

it('15,000 payloads of CBOR pieces are read or refused', () => {
  const random = seeded(112);
  const pieces =
    `00 01 02 03 04 06 08 20 21 22 23 24 61 41 f4 f5 f6 f97e00 f93c00 fa41b40000 1bffffffffffffffff 3bffffffffffffffff
    662f332f302f39 652f332f302f 6139 636c6f6e 63766c6f 63313a32 420102 80 81 82 9f ff a0 a1 a2 bf c0 c1 c2 c3 d81c d81d d833 d9dfff
    d9dffe d9dff9 d9e000 9affffffff 5affffffff bbffffffffffffffff 7f 5f`
      .split(/\s+/)
      .map(hex);
  let read = 0;
  for (let run = 0; run < 15_000; run++) {
    const body = Array.from({ length: random.below(9) }, () => random.pick(pieces));
    const bytes = Buffer.concat(random.chance(0.5) ? [hex('81 a2 00 66 2f332f302f39'), ...body] : body);
    const values = decoded(random.chance(0.7) ? 112 : 60, bytes, random.pick(paths));
    if (values) read += 1;
    if (values) rewritten(values);
    try {
      decodeSend(112, bytes, models, 0);
    } catch (error) {
      refusal(error);
    }
  }
  expect(read).toBeGreaterThan(150);
});

describe('deep nesting', () => {
  const depth = 200_000;
  const repeated = (unit: string, count = depth): Buffer =>
    Buffer.alloc((unit.length / 2) * count, Buffer.from(unit, 'hex'));

  it.each<[string, number, Buffer]>([
    ['JSON arrays', 110, Buffer.from('['.repeat(depth) + ']'.repeat(depth))],
    ['JSON arrays that do not end', 110, Buffer.from('['.repeat(depth))],
    ['JSON objects', 110, Buffer.from('{"v":'.repeat(depth) + '1' + '}'.repeat(depth))],
    ['JSON in a value', 110, Buffer.from(`[{"n":"a","v":${'['.repeat(depth)}${']'.repeat(depth)}}]`)],
    ['LwM2M JSON', 11_543, Buffer.from(`{"e":${'['.repeat(depth)}${']'.repeat(depth)}}`)],
    ['CBOR arrays', 112, repeated('81')],
    ['CBOR arrays of indefinite length', 112, repeated('9f')],
    ['CBOR maps as keys', 112, repeated('a1')],
    ['CBOR maps as values', 112, repeated('a100')],
    ['CBOR labels', 112, Buffer.concat([hex('81 a1'), repeated('81'), hex('00 00')])],
    ['CBOR paths', 11_544, Buffer.concat([hex('a1'), repeated('81'), hex('00 00')])],
    ['CBOR tags', 60, repeated('c1')],
    ['CBOR strings in parts', 60, repeated('7f')],
    ['TLV instances', 11_542, repeated('080079')],
    ['TLV multiple resources', 11_542, repeated('880079')],
  ])('%s is refused in little time', (_name, format, bytes) => {
    const startedMs = cpuMs();
    for (const path of ['/3', '/3/0', '/3/0/9']) expect(decoded(format, bytes, path)).toBeUndefined();
    expect(cpuMs() - startedMs).toBeLessThan(20_000);
  });
});

describe('declared lengths', () => {
  it.each<[string, number, Buffer]>([
    ['TLV of 16 MiB', 11_542, hex('d8 00 ffffff')],
    ['TLV of 16 MiB in an instance', 11_542, hex('08 00 05 d8 00 ffffff')],
    ['CBOR bytes', 60, hex('5a 7fffffff')],
    ['CBOR text', 60, hex('7b 00000000ffffffff 61')],
    ['a CBOR array', 112, hex('9a 06ffffff 80')],
    ['CBOR arrays in each other', 112, Buffer.alloc(4_000, hex('99 0f00'))],
    ['a CBOR map', 112, hex('81 ba 00ffffff 00 00')],
    ['a CBOR map of paths', 11_544, hex('ba 00ffffff 03 a1')],
    ['CBOR bytes in parts', 60, hex('5f 5a 7fffffff 00 ff')],
  ])('%s costs nothing', (_name, format, bytes) => {
    const before = process.memoryUsage();
    const startedMs = cpuMs();
    const kept = Array.from({ length: 2_000 }, () => decoded(format, bytes, '/3/0/9'));
    expect(kept.every((values) => values === undefined)).toBe(true);
    const after = process.memoryUsage();
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(2 ** 26);
    expect(after.rss - before.rss).toBeLessThan(2 ** 28);
    expect(cpuMs() - startedMs).toBeLessThan(20_000);
  });

  it('a payload of 256 KiB of the smallest parts is handled in little time', () => {
    const startedMs = cpuMs();
    decoded(11_542, Buffer.alloc(262_144, hex('c0 09')), '/3/0');
    decoded(112, Buffer.concat([hex('9a 0003fffb'), Buffer.alloc(262_139, 0xa0)]), '/3/0');
    decoded(11_544, Buffer.concat([hex('bf'), Buffer.alloc(262_140, hex('80 a0')), hex('ff')]), '/3/0');
    decoded(110, Buffer.from(`[${'{},'.repeat(87_000)}{}]`), '/3/0');
    decoded(60, Buffer.concat([hex('7f'), Buffer.alloc(262_142, 0x60), hex('ff')]), '/3/0/0');
    decoded(0, Buffer.alloc(262_144, '1'), '/3303/0/5700');
    expect(cpuMs() - startedMs).toBeLessThan(20_000);
  });
});
