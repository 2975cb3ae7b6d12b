import { type BlockValue, blockBytes, blockOffset, bodyBlock, isWellFilled } from '../codec/block-value.js';
import { formatCode, isSuccessCode } from '../codec/code.js';
import { BlockTransferFailed } from '../errors.js';
import { type ResponseMessage } from '../peer/pending-request.js';
import { type ReceivedResponse } from '../messages/response.js';

export interface DownloadOptions {
  /** Asks for a block of the same resource. */
  fetch(block: BlockValue): Promise<ResponseMessage>;
  bodyBytesMax: number;
  /** Whether the whole body may be requested once more when it changed between two blocks. */
  repeatable: boolean;
}

const CHANGED = Symbol('changed');

/**
 * Completes a block-wise response (Block2, RFC 7959 §2.4); others pass through.
 * @throws BlockTransferFailed
 */
export async function download(first: ResponseMessage, options: DownloadOptions): Promise<ReceivedResponse> {
  if (first.options.block2 === undefined) return receivedResponse(first, first.message.payload);
  const result = await collect(first, options);
  if (result !== CHANGED) return receivedResponse(first, result);
  if (!options.repeatable) throw new BlockTransferFailed('the representation changed');
  const restart = await options.fetch({ num: 0, more: false, szx: blockOf(first).szx });
  if (!isSuccessCode(restart.message.code)) throw refused(restart);
  const second = restart.options.block2 === undefined ? restart.message.payload : await collect(restart, options);
  if (second === CHANGED) throw new BlockTransferFailed('the representation changed again');
  return {
    ...receivedResponse(restart, second),
    ...(first.options.observe === undefined ? {} : { observe: first.options.observe }),
  };
}

async function collect(first: ResponseMessage, options: DownloadOptions): Promise<Buffer | typeof CHANGED> {
  const parts: Buffer[] = [];
  let bytes = 0;
  let current = first;
  for (;;) {
    const block = blockOf(current);
    const { payload } = current.message;
    if (blockOffset(block) !== bytes) throw new BlockTransferFailed('a block out of order');
    if (!isWellFilled(block, payload.length)) throw new BlockTransferFailed('a block of the wrong size');
    bytes += payload.length;
    if (bytes > options.bodyBytesMax) throw new BlockTransferFailed('the body is too large');
    parts.push(payload);
    if (!block.more) return parts.length === 1 ? payload : Buffer.concat(parts, bytes);
    current = await options.fetch({ num: bytes / blockBytes(block.szx), more: false, szx: block.szx });
    if (!isSuccessCode(current.message.code)) throw refused(current);
    if (!sameEtag(first, current)) return CHANGED;
  }
}

/** @throws BlockTransferFailed when the response has no usable Block2 */
function blockOf({ options: { block2 } }: ResponseMessage): BlockValue {
  if (block2 === undefined || block2 === 'reserved-size') throw new BlockTransferFailed('a response without its block');
  return block2;
}

function refused({ message }: ResponseMessage): BlockTransferFailed {
  return new BlockTransferFailed(`the peer answered ${formatCode(message.code)}`, message.code);
}

function sameEtag(first: ResponseMessage, next: ResponseMessage): boolean {
  const before = first.options.etag;
  const now = next.options.etag;
  return before === undefined || now === undefined ? before === now : before.equals(now);
}

/** The response as the caller sees it. */
export function receivedResponse({ message, options }: ResponseMessage, payload: Buffer): ReceivedResponse {
  const { observe, contentFormat, maxAgeSeconds, etag, locationPath, locationQuery } = options;
  return {
    code: message.code,
    payload,
    observe,
    contentFormat,
    maxAgeSeconds,
    etag,
    locationPath: locationPath.length > 0 ? locationPath : undefined,
    locationQuery: locationQuery.length > 0 ? locationQuery : undefined,
  };
}

/** The answer to a request for one block. @throws BlockTransferFailed */
export function receivedBlock(response: ResponseMessage): ReceivedResponse {
  const { message, options } = response;
  const whole = receivedResponse(response, message.payload);
  if (options.block2 === undefined) return whole;
  const block = blockOf(response);
  if (!isWellFilled(block, message.payload.length)) throw new BlockTransferFailed('a block of the wrong size');
  return { ...whole, block: bodyBlock(block) };
}
