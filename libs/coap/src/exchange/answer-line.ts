import { type ResponseExtras } from '../codec/response-options.js';
import { type CoapLimits } from '../limits.js';
import { type BoundedTable, type TableBounds } from '../memory/bounded-table.js';
import { type InboundExchange } from './inbound-exchange.js';
import { type CoapRequest } from '../messages/request.js';
import { type CoapResponse } from '../messages/response.js';

/** How the answer to one request is sent. */
export interface AnswerPlan {
  /** Up to this size it is sent whole, without Block2; negative: never. */
  wholeBytesMax: number;
  /** Exponent of the largest blocks that both sides accept. */
  szx: number;
  /** Capacity of one message if several blocks are sent at once (RFC 8323 §6). */
  bertBytes?: number;
}

/** The differences between transports when a request is answered. */
export interface AnswerLine<Via> {
  /** Largest block size exponent of the transport. */
  readonly szxMax: number;
  planFor(exchange: InboundExchange<Via>, response: CoapResponse): AnswerPlan;
  /** Puts one message on the wire, with the Block1 of the request. Never throws. */
  send(exchange: InboundExchange<Via>, response: CoapResponse, extras?: ResponseExtras): void;
  /** The request has an unknown critical option. */
  rejectOptions(exchange: InboundExchange<Via>): void;
}

export type AnsweringLimits = Pick<
  CoapLimits,
  | 'bodyBytesMax'
  | 'uploadsMax'
  | 'uploadsPerAddressMax'
  | 'uploadsBytesMax'
  | 'blockIdleMs'
  | 'storedAnswersMax'
  | 'storedAnswersBytesMax'
>;

/** The parts of the endpoint that answering needs. */
export interface AnsweringCore {
  readonly limits: AnsweringLimits;
  readonly options: { onRequest(request: CoapRequest): Promise<CoapResponse> };
  table<K, V>(bounds: TableBounds): BoundedTable<K, V>;
  count(event: 'request-rejected-option' | 'request-handler-failed'): void;
  report(error: unknown): void;
}
