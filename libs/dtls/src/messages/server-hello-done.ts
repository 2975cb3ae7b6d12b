import { Reader } from './reader.js';

/** The body of a ServerHelloDone (RFC 5246 §7.4.5). */
export const SERVER_HELLO_DONE: Buffer = Buffer.alloc(0);

/** @throws DecodeError unless `body` is empty */
export function decodeServerHelloDone(body: Buffer): void {
  new Reader(body, 'ServerHelloDone').expectEnd();
}
