import { type BlockValue } from '../codec/block-value.js';
import { type CoapMessage } from '../codec/message.js';
import { type RequestOptions } from '../codec/request-options.js';
import { type InFlight } from '../endpoint/in-flight.js';
import { type Peer } from '../peer/peer.js';

/** One request of a peer until it is answered. */
export interface InboundExchange {
  message: CoapMessage;
  peer: Peer;
  options: RequestOptions;
  /** Same resource, same peer: what the blocks of one transfer have in common. */
  transferKey: string;
  /** Block1 of the request, to be repeated in the answer. */
  block1: BlockValue | undefined;
  block2: BlockValue | undefined;
  /** Set while the handler runs. */
  inFlight: InFlight | undefined;
}

export function transferKey(peer: Peer, method: number, options: RequestOptions): string {
  const { path, query, accept } = options;
  return JSON.stringify([peer.key, method, path, query, accept]);
}
