import { mutate } from './mutate.ts';
import type { Random } from '../testing/random.ts';

const recordHeader = 13;
const handshakeHeader = 12;
const handshake = 22;

/** Changes anything, or only the content of the first record with the lengths around it kept correct. */
export const mutateDtls = (datagram: Buffer, random: Random): Buffer => {
  const isPlain = datagram.length > recordHeader + handshakeHeader && datagram.readUInt16BE(3) === 0;
  if (!isPlain || random.below(3) === 0) return mutate(datagram, random);
  const end = recordHeader + datagram.readUInt16BE(11);
  const isHandshake = datagram[0] === handshake;
  const start = recordHeader + (isHandshake ? handshakeHeader : 0);
  const content = mutate(datagram.subarray(start, Math.max(start, end)), random);
  const header = Buffer.from(datagram.subarray(0, start));
  header.writeUInt16BE(Math.min(start - recordHeader + content.length, 0xffff), 11);
  if (isHandshake) {
    const offset = header.readUIntBE(recordHeader + 6, 3);
    header.writeUIntBE(Math.min(offset + content.length, 0xffffff), recordHeader + 1, 3);
    header.writeUIntBE(content.length, recordHeader + 9, 3);
    // Makes messages arrive too early, too late or twice.
    if (random.below(8) === 0) header[recordHeader + 5] = random.below(6);
    if (random.below(8) === 0) header[recordHeader] = random.below(21);
  }
  return Buffer.concat([header, content, datagram.subarray(end)]);
};
