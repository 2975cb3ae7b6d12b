import { type CoapMessage, type CoapOption } from '../src/index.js';
import { option } from './raw-peer.js';

export const BLOCK1 = 27;
export const BLOCK2 = 23;
export const SIZE1 = 60;
export const SIZE2 = 28;
export const ETAG = 4;
export const REQUEST_TAG = 292;

/** A Block1 or Block2 option. */
export const block = (number: number, num: number, more: boolean, szx: number): CoapOption => {
  const bits = num * 16 + (more ? 8 : 0) + szx;
  return option(
    number,
    bits < 256 ? [bits] : bits < 65_536 ? [bits >> 8, bits & 0xff] : [bits >> 16, (bits >> 8) & 0xff, bits & 0xff],
  );
};

/** The piggybacked answer to a request. */
export const answer = (request: CoapMessage, code: number, options: CoapOption[], payload = Buffer.alloc(0)) =>
  ({ type: 'ACK', code, messageId: request.messageId, token: request.token, options, payload }) as const;
