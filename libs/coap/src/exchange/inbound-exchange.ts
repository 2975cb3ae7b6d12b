import { type BlockValue } from '../codec/block-value.js';
import { type CoapMessage } from '../codec/message.js';
import { type RequestOptions } from '../codec/request-options.js';
import { type Peer } from '../messages/peer.js';

/** A request message as received. `Via`: what its transport needs to answer it. */
export interface Arrival<Via> {
  message: Pick<CoapMessage, 'code' | 'token' | 'options' | 'payload'>;
  peer: Peer;
  confirmable: boolean;
  via: Via;
}

const NO_OPTIONS: RequestOptions = { path: [], query: [], etags: [], proxied: false };

/**
 * One request of a peer until it is answered. A class, made field by field: there is one for every datagram, and a copy by
 * `...` takes longer than all else that the protocol does for it.
 */
export class InboundExchange<Via> implements Arrival<Via> {
  readonly message: Arrival<Via>['message'];
  readonly peer: Peer;
  readonly confirmable: boolean;
  readonly via: Via;

  /** Without `options`, nothing is known yet but that it can be answered. */
  constructor(
    arrival: Arrival<Via>,
    readonly options: RequestOptions = NO_OPTIONS,
    /** Block1 of the request, to be repeated in the answer. */
    readonly block1?: BlockValue,
    readonly block2?: BlockValue,
  ) {
    this.message = arrival.message;
    this.peer = arrival.peer;
    this.confirmable = arrival.confirmable;
    this.via = arrival.via;
  }

  /** Same resource, same peer: what the blocks of one transfer have in common. Computed for each reader. */
  get transferKey(): string {
    const { path, query, accept } = this.options;
    return JSON.stringify([this.peer.key, this.message.code, path, query, accept]);
  }
}
