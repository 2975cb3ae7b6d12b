import { Reader } from './reader.js';

/** RFC 5246 §7.4.9. */
export const VERIFY_DATA_BYTES = 12;

/** Reads the verify data of a Finished; its encoding is the same 12 bytes. @throws DecodeError */
export function decodeFinished(body: Buffer): Buffer {
  const reader = new Reader(body, 'Finished');
  const verifyData = reader.takeBytes(VERIFY_DATA_BYTES);
  reader.expectEnd();
  return verifyData;
}
