import { UnencodableMessage } from '../errors.js';
import { decodeUint, encodeUint } from './uint.js';

/** Value of Block1 and Block2 (RFC 7959 §2.2): which block, whether more follow, and its size as an exponent. */
export interface BlockValue {
  /** 20 bits. */
  num: number;
  more: boolean;
  /** 0 to 6 for 16 to 1024 bytes; 7 is reserved over UDP. */
  szx: number;
}

const NUM_MAX = 0xf_ffff;
export const SZX_MAX = 6;

/** `undefined` when the reserved size is used. */
export function decodeBlock(value: Buffer): BlockValue | undefined {
  const bits = decodeUint(value);
  const szx = bits & 0x07;
  return szx > SZX_MAX ? undefined : { num: bits >>> 4, more: (bits & 0x08) !== 0, szx };
}

/** @throws UnencodableMessage when the number does not fit in 20 bits */
export function encodeBlock(block: BlockValue): Buffer {
  if (block.num > NUM_MAX) throw new UnencodableMessage(`No block number: ${block.num}`);
  return encodeUint(block.num * 16 + (block.more ? 8 : 0) + block.szx);
}

/** Bytes of a full block. */
export function blockBytes(szx: number): number {
  return 16 << szx;
}

/** Where the block begins in the body. */
export function blockOffset(block: BlockValue): number {
  return block.num * blockBytes(block.szx);
}

/** Exponent of the largest block that is not larger than `bytes`. */
export function szxOf(bytes: number): number {
  return Math.min(SZX_MAX, Math.max(0, Math.floor(Math.log2(bytes)) - 4));
}
