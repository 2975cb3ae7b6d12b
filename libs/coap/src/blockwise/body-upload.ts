import { type BlockValue, blockBytes, SZX_BERT } from '../codec/block-value.js';
import { Code, isSuccessCode } from '../codec/code.js';
import { BlockTransferFailed } from '../errors.js';
import { type ResponseMessage } from '../peer/pending-request.js';

export interface UploadPart {
  payload: Buffer;
  block1: BlockValue;
  /** Size of the whole body, with the first block. */
  size1?: number;
  last: boolean;
}

/**
 * Sends a request body block by block (Block1, RFC 7959 §2.5) and gives the response to the last block, or the refusal
 * that came earlier. A peer that asks for smaller blocks gets them.
 * @param bertBytes how much one message takes when several blocks go at once: a multiple of 1024
 * @throws BlockTransferFailed when the peer answers something that is no part of a transfer
 */
export async function upload(
  body: Buffer,
  firstSzx: number,
  send: (part: UploadPart) => Promise<ResponseMessage>,
  bertBytes = blockBytes(SZX_BERT),
): Promise<ResponseMessage> {
  let szx = firstSzx;
  let offset = 0;
  for (;;) {
    const payload = body.subarray(offset, offset + (szx === SZX_BERT ? bertBytes : blockBytes(szx)));
    const last = offset + payload.length >= body.length;
    const block1 = { num: offset / blockBytes(szx), more: !last, szx };
    const response = await send({ payload, block1, last, ...(offset === 0 ? { size1: body.length } : {}) });
    if (last) return response;
    const smaller = smallerBlocks(response, szx);
    if (response.message.code === Code.RequestEntityTooLarge && smaller !== undefined) {
      szx = smaller;
      offset = 0;
      continue;
    }
    if (!isSuccessCode(response.message.code)) return response;
    assertContinues(response, block1.num);
    offset += payload.length;
    szx = smaller ?? szx;
  }
}

/** The size that the peer prefers, when it is below ours. */
export function smallerBlocks({ options: { block1 } }: ResponseMessage, szx: number): number | undefined {
  return block1 !== undefined && block1 !== 'reserved-size' && block1.szx < szx ? block1.szx : undefined;
}

function assertContinues({ message, options: { block1 } }: ResponseMessage, num: number): void {
  if (block1 === undefined || block1 === 'reserved-size' || block1.num !== num) {
    throw new BlockTransferFailed('the peer did not continue with this block', message.code);
  }
}
