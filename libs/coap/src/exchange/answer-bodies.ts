import { cutBlock, withEtag } from '../blockwise/answer-block.js';
import { type BlockValue, SZX_MAX } from '../codec/block-value.js';
import { Code } from '../codec/code.js';
import { type BoundedTable } from '../memory/bounded-table.js';
import { type AnsweringCore, type AnswerLine } from './answer-line.js';
import { type InboundExchange } from './inbound-exchange.js';
import { type CoapResponse } from '../messages/response.js';

/** Answers on their way out: large ones are kept while the peer fetches their blocks. */
export class AnswerBodies<Via> {
  readonly held: BoundedTable<string, CoapResponse>;

  constructor(
    core: AnsweringCore,
    private readonly line: AnswerLine<Via>,
  ) {
    const { storedAnswersMax: entriesMax, storedAnswersBytesMax: bytesMax, blockIdleMs: idleMs } = core.limits;
    this.held = core.table({ entriesMax, bytesMax, idleMs });
  }

  /** A later block of an answer that was given before. A safe request may be executed again instead: false. */
  continue(exchange: InboundExchange<Via>): boolean {
    const { block2, message } = exchange;
    if (block2 === undefined || block2.num === 0) return false;
    const stored = this.held.get(exchange.transferKey);
    if (stored !== undefined) this.sendBlock(exchange, stored, block2);
    else if (message.code === Code.GET || message.code === Code.FETCH) return false;
    else this.line.send(exchange, { code: Code.RequestEntityIncomplete });
    return true;
  }

  /** Whole where it fits, otherwise its first (or the wanted) block. Throws when the response is none. */
  answer(exchange: InboundExchange<Via>, response: CoapResponse): void {
    const bytes = response.payload?.length ?? 0;
    const { wholeBytesMax, szx } = this.line.planFor(exchange, response);
    if (bytes <= wholeBytesMax) {
      this.line.send(exchange, response);
      return;
    }
    const { onSent, observe, ...complete } = withEtag(response);
    this.held.set(exchange.transferKey, complete, bytes);
    this.sendBlock(exchange, complete, exchange.block2 ?? { num: 0, szx, more: false }, { onSent, observe });
  }

  /** @param first what belongs to the first message of an answer only */
  private sendBlock(
    exchange: InboundExchange<Via>,
    stored: CoapResponse,
    wanted: BlockValue,
    first: Pick<CoapResponse, 'onSent' | 'observe'> = {},
  ): void {
    const plan = this.line.planFor(exchange, stored);
    const szx = Math.min(wanted.szx, plan.szx);
    // A smaller block than wanted starts at the same byte; several at once count in the same unit as one of 1024.
    const num = wanted.num << (Math.min(wanted.szx, SZX_MAX) - Math.min(szx, SZX_MAX));
    const cut = cutBlock(stored, { num, szx }, plan.bertBytes);
    if (cut === undefined) {
      this.line.send(exchange, { code: Code.BadRequest });
      return;
    }
    if (!cut.block2.more) this.held.delete(exchange.transferKey);
    const size2 = num === 0 ? { size2: cut.size2 } : {};
    this.line.send(exchange, { ...cut.response, ...first }, { block2: cut.block2, ...size2 });
  }
}
