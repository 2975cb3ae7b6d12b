import { type BlockValue, blockBytes, NUM_MAX, SZX_BERT } from '../codec/block-value.js';
import { Code, isSuccessCode } from '../codec/code.js';
import { BlockTransferFailed } from '../errors.js';
import { type BodySource } from '../messages/body-source.js';
import { type ResponseMessage } from '../peer/pending-request.js';
import { readPart } from './source-reader.js';

/** How often a peer that has lost the previous blocks (4.08) gets all blocks again. */
const RESTARTS_MAX = 1;

export interface UploadPart {
  payload: Buffer;
  block1: BlockValue;
  /** Size of the whole body; set only for the first block. */
  size1?: number;
  last: boolean;
}

export interface UploadOptions {
  /** Exponent of the first block's size. */
  szx: number;
  /** Capacity of one message when several blocks are sent at once: a multiple of 1024. */
  bertBytes?: number | undefined;
  send(part: UploadPart): Promise<ResponseMessage>;
  /** No further block is sent once this aborts. */
  signal?: AbortSignal | undefined;
  onProgress?: ((bytes: number) => void) | undefined;
}

/**
 * Sends a request body block by block (Block1, RFC 7959 §2.5) and returns the response to the last block, or the refusal
 * that came earlier. A peer that asks for smaller blocks gets them.
 * @throws BlockTransferFailed when the peer's answer is not part of a transfer, or when its blocks are too small for a body
 * of this size; RequestAbandoned; what the source rejects with
 */
export async function upload(body: BodySource, options: UploadOptions): Promise<ResponseMessage> {
  const { bertBytes = blockBytes(SZX_BERT), send, signal, onProgress } = options;
  let { szx } = options;
  let restarts = RESTARTS_MAX;
  let offset = 0;
  for (;;) {
    assertNumbered(body, szx);
    const length = Math.min(szx === SZX_BERT ? bertBytes : blockBytes(szx), body.bytes - offset);
    const payload = await readPart(body, offset, length, signal);
    const last = offset + length === body.bytes;
    const block1 = { num: offset / blockBytes(szx), more: !last, szx };
    const response = await send({ payload, block1, last, ...(offset === 0 ? { size1: body.bytes } : {}) });
    if (isSuccessCode(response.message.code)) onProgress?.(offset + length);
    const smaller = smallerBlocks(response, szx);
    const refused = response.message.code === Code.RequestEntityTooLarge && smaller !== undefined && !last;
    const lost = response.message.code === Code.RequestEntityIncomplete && offset > 0 && restarts > 0;
    if (refused || lost) {
      if (lost) restarts -= 1;
      szx = smaller ?? szx;
      offset = 0;
      continue;
    }
    if (!isSuccessCode(response.message.code)) return response;
    // All answers have the same token, so this may be a late copy of an answer to an earlier block.
    if (!last || response.message.code === Code.Continue) assertContinues(response, block1.num);
    if (last) return response;
    offset += length;
    szx = smaller ?? szx;
  }
}

/** The size that the peer prefers, when it is below ours. */
export function smallerBlocks({ options: { block1 } }: ResponseMessage, szx: number): number | undefined {
  return block1 !== undefined && block1 !== 'reserved-size' && block1.szx < szx ? block1.szx : undefined;
}

function assertNumbered({ bytes }: BodySource, szx: number): void {
  if (bytes > (NUM_MAX + 1) * blockBytes(szx))
    throw new BlockTransferFailed(`the body has too many blocks of ${blockBytes(szx)} bytes`);
}

/** A success without the Block1 option does not answer the whole request, so its code is not returned to the caller. */
function assertContinues({ options: { block1 } }: ResponseMessage, num: number): void {
  if (block1 === undefined || block1 === 'reserved-size' || block1.num !== num) {
    throw new BlockTransferFailed('the peer did not continue with this block');
  }
}
