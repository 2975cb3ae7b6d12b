import { cutBlock, cutSource, withEtag } from '../blockwise/answer-block.js';
import { assertSendable, readPart } from '../blockwise/source-reader.js';
import { type BlockValue, blockBytes, SZX_MAX } from '../codec/block-value.js';
import { Code, isSuccessCode } from '../codec/code.js';
import { UnencodableMessage } from '../errors.js';
import { SOURCE_MESSAGE_BYTES_MAX } from '../limits.js';
import { type BoundedTable } from '../memory/bounded-table.js';
import { type AnsweringCore, type AnswerPlan, type BaseAnswerSender } from './base-answer-sender.js';
import { type InboundExchange } from './inbound-exchange.js';
import { type BodySource } from '../messages/body-source.js';
import { type CoapResponse } from '../messages/response.js';

/** Answers that are being sent: large ones are kept while the peer fetches their blocks. */
export class AnswerBodies<Via> {
  readonly held: BoundedTable<string, CoapResponse>;

  constructor(
    private readonly core: AnsweringCore,
    private readonly sender: BaseAnswerSender<Via>,
  ) {
    const { storedAnswersMax: entriesMax, storedAnswersBytesMax: bytesMax, blockIdleMs: idleMs } = core.limits;
    this.held = core.table({ entriesMax, bytesMax, idleMs });
  }

  /**
   * Answers a request for a later block with a part of the kept answer. Returns false if the handler must be called
   * instead: for the first block, or for a later block of a repeatable request whose answer is no longer kept.
   * A request that is not repeatable gets 4.08 then, because a second execution could have a second effect.
   */
  continue(exchange: InboundExchange<Via>): boolean {
    const { block2 } = exchange;
    if (block2 === undefined || block2.num === 0) return false;
    const stored = this.held.get(exchange.transferKey);
    if (stored === undefined) {
      if (isRepeatable(exchange)) return false;
      this.sender.send(exchange, { code: Code.RequestEntityIncomplete });
      return true;
    }
    // It is forgotten a while after its last block, not after its first.
    this.keep(exchange, stored);
    this.sendBlock(exchange, stored, block2);
    return true;
  }

  /** Sends the answer whole if it fits, otherwise its first (or the requested) block. Throws when the response is invalid. */
  answer(exchange: InboundExchange<Via>, response: CoapResponse): void {
    const bytes = response.payload?.length ?? 0;
    const { wholeBytesMax, szx } = this.sender.planFor(exchange, response);
    // An error is not a block of the requested body.
    const isError = !isSuccessCode(response.code) && bytes <= blockBytes(szx);
    if (isError || bytes <= wholeBytesMax) {
      this.sender.send(exchange, response);
      return;
    }
    const { onSent, observe, ...complete } = withEtag(response);
    this.keep(exchange, complete);
    this.sendBlock(exchange, complete, exchange.block2, { onSent, observe });
  }

  /**
   * Sends the whole of a short source, otherwise its first (or the requested) block. Nothing is kept: the handler
   * provides the source again for the next block.
   * @throws (as a rejection) what the source rejects with, BlockTransferFailed, UnencodableMessage
   */
  async answerFrom(source: BodySource, exchange: InboundExchange<Via>, response: CoapResponse): Promise<void> {
    assertSendable(source);
    if (!isRepeatable(exchange)) throw new UnencodableMessage('Only GET and FETCH are answered with a source');
    const { source: _source, observe: _observe, ...head } = response;
    const plan = this.sender.planFor(exchange, head);
    if (source.bytes <= Math.min(plan.wholeBytesMax, SOURCE_MESSAGE_BYTES_MAX)) {
      this.sender.send(exchange, { ...head, payload: await readPart(source, 0, source.bytes) });
      return;
    }
    const bertBytes = Math.min(plan.bertBytes ?? SOURCE_MESSAGE_BYTES_MAX, SOURCE_MESSAGE_BYTES_MAX);
    // A peer that accepts no blocks cannot get this source: it is too large for one message.
    const takesBlocks = plan.wholeBytesMax !== Infinity;
    const cut = takesBlocks ? cutSource(source, withinPlan(exchange.block2, plan), bertBytes) : undefined;
    if (cut === undefined) {
      this.sender.send(exchange, { code: Code.BadRequest });
      return;
    }
    const payload = await readPart(source, cut.offset, cut.length);
    this.sender.send(exchange, { ...head, payload }, { block2: cut.block2, size2: source.bytes });
  }

  private keep(exchange: InboundExchange<Via>, answer: CoapResponse): void {
    const source = this.core.sourceOf(exchange.peer.address);
    this.held.set(exchange.transferKey, answer, answer.payload?.length ?? 0, source);
  }

  /** @param first the parts that belong only to the first message of an answer */
  private sendBlock(
    exchange: InboundExchange<Via>,
    stored: CoapResponse,
    wanted: BlockValue | undefined,
    first: Pick<CoapResponse, 'onSent' | 'observe'> = {},
  ): void {
    const plan = this.sender.planFor(exchange, stored);
    const part = withinPlan(wanted, plan);
    const cut = cutBlock(stored, part, plan.bertBytes);
    if (cut === undefined) {
      this.sender.send(exchange, { code: Code.BadRequest });
      return;
    }
    if (!cut.block2.more) this.held.delete(exchange.transferKey);
    const size2 = part.num === 0 ? { size2: cut.size2 } : {};
    this.sender.send(exchange, { ...cut.response, ...first }, { block2: cut.block2, ...size2 });
  }
}

/**
 * The block to send. If it is smaller than the requested one, it starts at the same byte. For a message with several
 * blocks (BERT), the number counts blocks of 1024 bytes.
 */
function withinPlan(wanted: BlockValue | undefined, plan: AnswerPlan): { num: number; szx: number } {
  if (wanted === undefined) return { num: 0, szx: plan.szx };
  const szx = Math.min(wanted.szx, plan.szx);
  return { num: wanted.num << (Math.min(wanted.szx, SZX_MAX) - Math.min(szx, SZX_MAX)), szx };
}

/** Whether the request is safe to execute again, with the same effect as executing it once. */
function isRepeatable<Via>({ message }: InboundExchange<Via>): boolean {
  return message.code === Code.GET || message.code === Code.FETCH;
}
