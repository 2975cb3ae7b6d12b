import { type BodyBlock } from '../messages/body-block.js';
import { UnencodableMessage } from '../errors.js';
import { decodeUint, encodeUint } from './uint.js';

/** Value of Block1 and Block2 (RFC 7959 §2.2): which block, whether more follow, and its size as an exponent. */
export interface BlockValue {
  /** 20 bits. */
  num: number;
  more: boolean;
  /** 0 to 6 for 16 to 1024 bytes; 7 is reserved over UDP, and over TCP means several blocks of 1024 at once. */
  szx: number;
}

/** Number of the last block that a body can have. */
export const NUM_MAX = 0xf_ffff;
export const SZX_MAX = 6;
/** Several blocks of 1024 bytes in one message (BERT, RFC 8323 §6): over TCP only. */
export const SZX_BERT = 7;

/** `undefined` when the value has a size that this transport does not support. */
export function decodeBlock(value: Buffer, szxMax = SZX_MAX): BlockValue | undefined {
  const bits = decodeUint(value);
  const szx = bits & 0x07;
  return szx > szxMax ? undefined : { num: bits >>> 4, more: (bits & 0x08) !== 0, szx };
}

/** @throws UnencodableMessage when the number does not fit in 20 bits */
export function encodeBlock(block: BlockValue): Buffer {
  if (block.num > NUM_MAX) throw new UnencodableMessage(`No block number: ${block.num}`);
  return encodeUint(block.num * 16 + (block.more ? 8 : 0) + block.szx);
}

/** Bytes of a full block; with BERT, of each of the blocks in a message. */
export function blockBytes(szx: number): number {
  return 16 << Math.min(szx, SZX_MAX);
}

/** Whether the block may contain this many bytes: it must be exactly full while more blocks follow. */
export function isWellFilled({ more, szx }: BlockValue, bytes: number): boolean {
  if (szx === SZX_BERT) return !more || (bytes > 0 && bytes % blockBytes(szx) === 0);
  return more ? bytes === blockBytes(szx) : bytes <= blockBytes(szx);
}

export function blockOffset(block: BlockValue): number {
  return block.num * blockBytes(block.szx);
}

/** Exponent of the largest block that is not larger than `bytes`. */
export function szxOf(bytes: number): number {
  return Math.min(SZX_MAX, Math.max(0, Math.floor(Math.log2(bytes)) - 4));
}

/** The block in the form that applications see. */
export function bodyBlock(block: BlockValue): BodyBlock {
  return { offset: blockOffset(block), more: block.more, bytes: blockBytes(block.szx) };
}
