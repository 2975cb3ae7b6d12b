import type { Random } from '../testing/random.ts';

/** Bytes with a special meaning in lengths, counts and types. */
const telling = [0x00, 0x01, 0x0d, 0x0e, 0x0f, 0x1f, 0x3f, 0x7f, 0x80, 0x9f, 0xbf, 0xd0, 0xe0, 0xf0, 0xfe, 0xff];

const longestCopy = 64;

const changes: ((bytes: Buffer<ArrayBufferLike>, random: Random) => Buffer<ArrayBufferLike>)[] = [
  (bytes, random) => {
    const at = random.below(bytes.length);
    bytes[at] = (bytes[at] as number) ^ (1 << random.below(8));
    return bytes;
  },
  (bytes, random) => {
    bytes[random.below(bytes.length)] = random.below(256);
    return bytes;
  },
  (bytes, random) => {
    bytes[random.below(bytes.length)] = random.pick(telling);
    return bytes;
  },
  // Changes the beginning, where lengths are.
  (bytes, random) => {
    bytes[random.below(Math.min(12, bytes.length))] = random.below(256);
    return bytes;
  },
  (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1)),
  (bytes, random) => {
    const at = random.below(bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, at), random.bytes(1 + random.below(8)), bytes.subarray(at)]);
  },
  (bytes, random) => {
    const at = random.below(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(8))]);
  },
  (bytes, random) => {
    const from = random.below(bytes.length);
    const piece = bytes.subarray(from, from + 1 + random.below(longestCopy));
    const at = random.below(bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
  },
];

/** Makes one to four changes; the argument is not modified. */
export const mutate = (valid: Buffer, random: Random) => {
  let bytes: Buffer<ArrayBufferLike> = Buffer.from(valid);
  for (let left = 1 + random.below(4); left > 0 && bytes.length > 0; left--)
    bytes = random.pick(changes)(bytes, random);
  return bytes;
};
