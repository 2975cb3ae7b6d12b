import { readFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';

const endSignature = 0x06054b50;

/**
 * The entries of a zip or jar file: name -> function that gives its bytes. Enough for jars from Maven (stored or
 * deflated, no zip64).
 * @param {string} path
 */
export const readZip = (path) => {
  const bytes = readFileSync(path);
  let end = bytes.length - 22;
  while (end >= 0 && bytes.readUInt32LE(end) !== endSignature) end--;
  if (end < 0) throw new Error(`${path} is no zip file`);
  /** @type {Map<string, () => Buffer>} */
  const entries = new Map();
  let at = bytes.readUInt32LE(end + 16);
  for (let n = bytes.readUInt16LE(end + 10); n > 0; n--) {
    const method = bytes.readUInt16LE(at + 10);
    const size = bytes.readUInt32LE(at + 20);
    const lengthAt = (/** @type {number} */ o) => bytes.readUInt16LE(at + o);
    const nameLength = lengthAt(28);
    const header = bytes.readUInt32LE(at + 42);
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength);
    entries.set(name, () => {
      const start = header + 30 + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28);
      const body = bytes.subarray(start, start + size);
      return method === 0 ? body : inflateRawSync(body);
    });
    at += 46 + nameLength + lengthAt(30) + lengthAt(32);
  }
  return entries;
};
