import { type ResponseExtras } from '../codec/response-options.js';
import { type CoapLimits } from '../limits.js';
import { type BoundedTable, type TableBounds } from '../memory/bounded-table.js';
import { type InboundExchange } from './inbound-exchange.js';
import { type CoapRequest } from '../messages/request.js';
import { type CoapResponse } from '../messages/response.js';

/** How the answer to one request travels. */
export interface AnswerPlan {
  /** Up to this size it goes whole, without Block2; below 0: never. */
  wholeBytesMax: number;
  /** Exponent of the largest blocks that both sides take. */
  szx: number;
  /** How much one message takes when several blocks go at once (RFC 8323 §6). */
  bertBytes?: number;
}

/** What differs between transports when a request is answered. */
export interface AnswerLine<Via> {
  /** Largest block size exponent of the transport. */
  readonly szxMax: number;
  planFor(exchange: InboundExchange<Via>, response: CoapResponse): AnswerPlan;
  /** Puts one message on the wire, with the Block1 of the request. Never throws. */
  send(exchange: InboundExchange<Via>, response: CoapResponse, extras?: ResponseExtras): void;
  /** The request has an unknown critical option. */
  rejectOptions(exchange: InboundExchange<Via>): void;
}

type AnsweringLimits = Pick<
  CoapLimits,
  | 'bodyBytesMax'
  | 'uploadsMax'
  | 'uploadsPerAddressMax'
  | 'uploadsBytesMax'
  | 'blockIdleMs'
  | 'storedAnswersMax'
  | 'storedAnswersBytesMax'
>;

/** What answering needs of its endpoint. */
export interface AnsweringCore {
  readonly limits: AnsweringLimits;
  readonly options: { onRequest(request: CoapRequest): Promise<CoapResponse> };
  table<K, V>(bounds: TableBounds): BoundedTable<K, V>;
  count(event: 'request-rejected-option' | 'request-handler-failed'): void;
  report(error: unknown): void;
}
