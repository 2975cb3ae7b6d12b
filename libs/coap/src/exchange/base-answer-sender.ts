import { Code } from '../codec/code.js';
import { type ResponseExtras } from '../codec/response-options.js';
import { type CoapLimits } from '../limits.js';
import { type BoundedTable, type TableBounds } from '../memory/bounded-table.js';
import { type InboundExchange } from './inbound-exchange.js';
import { type CoapRequest } from '../messages/request.js';
import { type CoapResponse } from '../messages/response.js';

export type AnsweringLimits = Pick<
  CoapLimits,
  | 'bodyBytesMax'
  | 'uploadsMax'
  | 'uploadsPerAddressMax'
  | 'uploadsBytesMax'
  | 'uploadsBytesPerAddressMax'
  | 'blockIdleMs'
  | 'storedAnswersMax'
  | 'storedAnswersBytesMax'
>;

/** The parts of the endpoint that answering needs. */
export interface AnsweringCore {
  readonly limits: AnsweringLimits;
  readonly options: {
    onRequest(request: CoapRequest): Promise<CoapResponse>;
    takesBlocks?(method: number, path: readonly string[]): boolean;
  };
  sourceOf(address: string): string;
  table<K, V>(bounds: TableBounds): BoundedTable<K, V>;
  count(event: 'request-rejected-option' | 'request-handler-failed'): void;
  report(error: unknown): void;
  guarded<T>(call: () => T, otherwise: T): T;
}

export interface AnswerPlan {
  /** Up to this size the answer is sent whole, without Block2; negative: never. */
  wholeBytesMax: number;
  /** Exponent of the largest blocks that both sides accept. */
  szx: number;
  /** Capacity of one message if several blocks are sent at once (RFC 8323 §6). */
  bertBytes?: number;
}

/** Sends the answers to requests; subclasses know their transport. */
export abstract class BaseAnswerSender<Via> {
  /** Largest block size exponent of the transport. */
  abstract readonly szxMax: number;

  constructor(protected readonly core: AnsweringCore) {}

  abstract planFor(exchange: InboundExchange<Via>, response: CoapResponse): AnswerPlan;

  /** Answers a request that has an unknown critical option. */
  abstract rejectOptions(exchange: InboundExchange<Via>): void;

  /** Sends one message, with the Block1 of the request. Never throws: 5.00 replaces a response that is invalid. */
  send(exchange: InboundExchange<Via>, response: CoapResponse, extras: ResponseExtras = {}): void {
    if (!this.isOpen(exchange)) return;
    const { block1 } = exchange;
    try {
      this.write(exchange, response, block1 === undefined ? extras : { ...extras, block1 });
    } catch (error) {
      this.core.report(error);
      // This answer fits into any message.
      if (this.isOpen(exchange)) this.write(exchange, { code: Code.InternalServerError }, {});
    }
    const { onSent } = response;
    if (onSent !== undefined) this.core.guarded(onSent, undefined);
  }

  protected abstract isOpen(exchange: InboundExchange<Via>): boolean;

  protected abstract write(exchange: InboundExchange<Via>, response: CoapResponse, extras: ResponseExtras): void;
}
