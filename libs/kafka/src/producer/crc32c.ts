/** CRC-32C (Castagnoli), reflected. */
const polynomial = 0x82f63b78;

/** Eight tables of 256: eight bytes are looked up at once instead of one after the other. */
const tables = ((): Int32Array => {
  const made = new Int32Array(8 * 256);
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
  const whole = end - ((end - start) % 8);
  let crc = -1;
  let at = start;
  for (; at < whole; at += 8) {
    crc ^= (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) as number;
    crc =
      t[1792 + (crc & 0xff)]! ^
      t[1536 + ((crc >>> 8) & 0xff)]! ^
      t[1280 + ((crc >>> 16) & 0xff)]! ^
      t[1024 + (crc >>> 24)]! ^
      t[768 + bytes[at + 4]!]! ^
      t[512 + bytes[at + 5]!]! ^
      t[256 + bytes[at + 6]!]! ^
      t[bytes[at + 7]!]!;
  }
  for (; at < end; at++) crc = t[(crc ^ bytes[at]!) & 0xff]! ^ (crc >>> 8);
  return ~crc >>> 0;
};
