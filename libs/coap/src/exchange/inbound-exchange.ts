import { type BlockValue } from '../codec/block-value.js';
import { type CoapMessage } from '../codec/message.js';
import { type RequestOptions } from '../codec/request-options.js';
import { type Peer } from '../peer/peer.js';

/** A request message as it came. `Via`: what its transport needs to answer it. */
export interface Arrival<Via> {
  message: Pick<CoapMessage, 'code' | 'token' | 'options' | 'payload'>;
  peer: Peer;
  confirmable: boolean;
  via: Via;
}

/** One request of a peer until it is answered. */
export interface InboundExchange<Via> extends Arrival<Via> {
  options: RequestOptions;
  /** Same resource, same peer: what the blocks of one transfer have in common. */
  transferKey: string;
  /** Block1 of the request, to be repeated in the answer. */
  block1: BlockValue | undefined;
  block2: BlockValue | undefined;
}

const NO_OPTIONS: RequestOptions = { path: [], query: [], etags: [], proxied: false };

/** An exchange of which nothing is known yet but that it can be answered. */
export function bareExchange<Via>(arrival: Arrival<Via>): InboundExchange<Via> {
  return { ...arrival, options: NO_OPTIONS, transferKey: '', block1: undefined, block2: undefined };
}

export function transferKey(peer: Peer, method: number, options: RequestOptions): string {
  const { path, query, accept } = options;
  return JSON.stringify([peer.key, method, path, query, accept]);
}
