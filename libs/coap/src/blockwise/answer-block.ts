import { createHash } from 'node:crypto';
import { type BlockValue, blockBytes, blockOffset, NUM_MAX, SZX_BERT } from '../codec/block-value.js';
import { type BodySource } from '../messages/body-source.js';
import { type CoapResponse } from '../messages/response.js';

const ETAG_BYTES = 6;

export interface AnswerBlock {
  /** The answer with the payload of this block, and with an ETag so that the peer notices a change between blocks. */
  response: CoapResponse;
  block2: BlockValue;
  size2: number;
}

/** Gives a large answer the ETag that all its blocks carry: a digest of the payload unless it has one. */
export function withEtag(response: CoapResponse): CoapResponse {
  if (response.etag !== undefined) return response;
  const etag = createHash('sha256')
    .update(response.payload ?? '')
    .digest()
    .subarray(0, ETAG_BYTES);
  return { ...response, etag };
}

/**
 * Cuts out the requested block; `undefined` if the answer ends before it. Even an empty answer has block 0.
 * @param bertBytes capacity of one message when several blocks are sent at once: a multiple of 1024
 */
export function cutBlock(
  response: CoapResponse,
  wanted: { num: number; szx: number },
  bertBytes = blockBytes(SZX_BERT),
): AnswerBlock | undefined {
  const payload = response.payload ?? Buffer.alloc(0);
  const offset = blockOffset({ ...wanted, more: false });
  if (offset > 0 && offset >= payload.length) return undefined;
  const end = offset + (wanted.szx === SZX_BERT ? bertBytes : blockBytes(wanted.szx));
  return {
    response: { ...response, payload: payload.subarray(offset, end) },
    block2: { num: wanted.num, more: end < payload.length, szx: wanted.szx },
    size2: payload.length,
  };
}

/** Position of the requested block in a source; `undefined` if the source ends before it, or has too many blocks to number. */
export function cutSource(
  { bytes }: BodySource,
  { num, szx }: { num: number; szx: number },
  bertBytes: number,
): { offset: number; length: number; block2: BlockValue } | undefined {
  const offset = blockOffset({ num, szx, more: false });
  if ((offset > 0 && offset >= bytes) || bytes > (NUM_MAX + 1) * blockBytes(szx)) return undefined;
  const length = Math.min(szx === SZX_BERT ? bertBytes : blockBytes(szx), bytes - offset);
  return { offset, length, block2: { num, szx, more: offset + length < bytes } };
}
