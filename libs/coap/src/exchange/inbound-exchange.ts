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
 * One request of a peer until it is answered. A class whose fields are assigned one by one: there is an exchange for every datagram,
 * and a copy by `...` takes longer than everything else that the protocol does for it.
 */
export class InboundExchange<Via> implements Arrival<Via> {
  readonly message: Arrival<Via>['message'];
  readonly peer: Peer;
  readonly confirmable: boolean;
  readonly via: Via;

  /** Without `options`, the exchange serves only to refuse the request. */
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

  /** The key that the blocks of one transfer share: same resource, same peer. Computed at each access. */
  get transferKey(): string {
    const { path, query, accept } = this.options;
    return JSON.stringify([this.peer.key, this.message.code, path, query, accept]);
  }

  /** The key of the request body that a block belongs to. The blocks of the answer are found without a tag. */
  get uploadKey(): string {
    const { requestTags } = this.options;
    return requestTags === undefined ? this.transferKey : `${this.transferKey} ${requestTags.join(' ')}`;
  }
}
