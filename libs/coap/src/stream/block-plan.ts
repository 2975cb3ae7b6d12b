import { blockBytes, SZX_BERT, szxOf } from '../codec/block-value.js';
import { bodyLength } from '../codec/body.js';
import { type CoapOption } from '../codec/message.js';
import { FRAME_OVERHEAD_MAX } from '../codec/stream-message.js';
import { type BlockPlan } from '../exchange/request-sender.js';
import { BASE_CAPABILITIES, type Capabilities } from './signals.js';

/** Room for Block1, Block2, Size1, Size2 and the payload marker. */
const BLOCK_OPTIONS_BYTES = 24;
const SMALLEST_BLOCK_BYTES = 16;

/** The plan according to the peer's CSM: several blocks at once only if its messages may be large (RFC 8323 §6). */
export function blockPlan({ messageBytesMax, blockWise }: Capabilities, options: CoapOption[]): BlockPlan {
  const overhead = FRAME_OVERHEAD_MAX + bodyLength({ options, payload: Buffer.alloc(0) });
  const wholeBytesMax = messageBytesMax - overhead - 1;
  const room = messageBytesMax - overhead - BLOCK_OPTIONS_BYTES;
  if (!blockWise || room < SMALLEST_BLOCK_BYTES) return { wholeBytesMax, blocks: undefined };
  const unit = blockBytes(SZX_BERT);
  const bert = messageBytesMax > BASE_CAPABILITIES.messageBytesMax && room >= unit;
  const szx = bert ? SZX_BERT : szxOf(room);
  return { wholeBytesMax, blocks: { szx, bertBytes: bert ? Math.floor(room / unit) * unit : unit } };
}
