import { privateModule } from './modules.js';
import { isReplaced } from './switches.js';

/** CRC-32C (Castagnoli), reflected. */
const polynomial = 0x82f63b78;

/** Sixteen tables of 256: as many bytes are looked up at once instead of one after the other. */
const tables = ((): Int32Array => {
  const made = new Int32Array(16 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1;
    made[byte] = crc;
  }
  for (let at = 256; at < made.length; at++) {
    const before = made[at - 256] as number;
    made[at] = (before >>> 8) ^ (made[before & 0xff] as number);
  }
  return made;
})();

/** Checksum of a batch of records (KIP-98), of the bytes from `start` to `end`. */
export const crc32c = (bytes: Buffer, start = 0, end = bytes.length): number => {
  const t = tables;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const whole = end - ((end - start) % 16);
  let crc = -1;
  let at = start;
  for (; at < whole; at += 16) {
    const first = crc ^ view.getInt32(at, true);
    const second = view.getInt32(at + 4, true);
    const third = view.getInt32(at + 8, true);
    const fourth = view.getInt32(at + 12, true);
    crc =
      t[3840 + (first & 0xff)]! ^
      t[3584 + ((first >>> 8) & 0xff)]! ^
      t[3328 + ((first >>> 16) & 0xff)]! ^
      t[3072 + (first >>> 24)]! ^
      t[2816 + (second & 0xff)]! ^
      t[2560 + ((second >>> 8) & 0xff)]! ^
      t[2304 + ((second >>> 16) & 0xff)]! ^
      t[2048 + (second >>> 24)]! ^
      t[1792 + (third & 0xff)]! ^
      t[1536 + ((third >>> 8) & 0xff)]! ^
      t[1280 + ((third >>> 16) & 0xff)]! ^
      t[1024 + (third >>> 24)]! ^
      t[768 + (fourth & 0xff)]! ^
      t[512 + ((fourth >>> 8) & 0xff)]! ^
      t[256 + ((fourth >>> 16) & 0xff)]! ^
      t[fourth >>> 24]!;
  }
  for (; at < end; at++) crc = t[(crc ^ bytes[at]!) & 0xff]! ^ (crc >>> 8);
  return ~crc >>> 0;
};

const kafkajsCrc32c = privateModule('protocol/recordBatch/crc32C/index.js') as (bytes: Buffer) => number;

/** The same checksum, computed by `crc32c` or by kafkajs, as the switch `crc32c` says. */
export const checksum = (bytes: Buffer, start: number, end: number): number =>
  isReplaced('crc32c') ? crc32c(bytes, start, end) : kafkajsCrc32c(bytes.subarray(start, end));
