import { type Upload, UploadTable } from '../blockwise/upload-table.js';
import { Code } from '../codec/code.js';
import { type BoundedTable } from '../memory/bounded-table.js';
import { type AnsweringCore, type BaseAnswerSender } from './base-answer-sender.js';
import { type InboundExchange } from './inbound-exchange.js';

/** After this time, a peer whose upload found no room may try again. */
const NO_ROOM_SECONDS = 30;

/** The answer to a block that does not complete its body. */
const stepAnswers = {
  continue: { code: Code.Continue },
  incomplete: { code: Code.RequestEntityIncomplete },
  malformed: { code: Code.BadRequest },
  'too-large': { code: Code.RequestEntityTooLarge },
  'no-room': { code: Code.ServiceUnavailable, maxAgeSeconds: NO_ROOM_SECONDS },
} as const;

/** Bodies of requests, in one piece or in blocks. */
export class RequestBodies<Via> {
  readonly held: BoundedTable<string, Upload>;
  private readonly uploads: UploadTable;
  private readonly bodyBytesMax: number;

  constructor(
    private readonly core: AnsweringCore,
    private readonly sender: BaseAnswerSender<Via>,
  ) {
    const { bodyBytesMax, uploadsMax: entriesMax, uploadsBytesMax: bytesMax, blockIdleMs: idleMs } = core.limits;
    const { uploadsPerAddressMax: perGroupMax, uploadsBytesPerAddressMax } = core.limits;
    const perGroupBytesMax = Math.max(uploadsBytesPerAddressMax, bodyBytesMax);
    this.bodyBytesMax = bodyBytesMax;
    this.held = core.table({ entriesMax, bytesMax, idleMs, perGroupMax, perGroupBytesMax });
    this.uploads = new UploadTable(this.held, bodyBytesMax);
  }

  /** Returns the whole body when it is complete; until then, each block is answered here. */
  assemble(exchange: InboundExchange<Via>): Buffer | undefined {
    const { message, options, block1: block } = exchange;
    const { payload } = message;
    if (block === undefined && payload.length <= this.bodyBytesMax) return payload;
    const { contentFormat, size1: announcedBytes } = options;
    const step =
      block === undefined
        ? ({ kind: 'too-large' } as const)
        : this.uploads.takeBlock(exchange.uploadKey, {
            block,
            payload,
            contentFormat,
            announcedBytes,
            source: this.core.sourceOf(exchange.peer.address),
          });
    if (step.kind === 'complete') return step.payload;
    const extras = step.kind === 'too-large' ? { size1: this.bodyBytesMax } : {};
    this.sender.send(exchange, stepAnswers[step.kind], extras);
    return undefined;
  }
}
