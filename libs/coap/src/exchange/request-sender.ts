import { type CoapOption } from '../codec/message.js';
import { type Peer } from '../messages/peer.js';
import { type OutgoingRequest } from '../messages/request.js';
import { type RequestIntent } from '../peer/pending-request.js';

/** How a body is sent to a peer. */
export interface BlockPlan {
  /** Largest payload that fits into one message. */
  wholeBytesMax: number;
  /** Undefined: the peer takes no blocks, or its messages are too small for any. */
  blocks: { szx: number; bertBytes?: number } | undefined;
}

export interface RequestMessage<Response> {
  /** Determines method, reliability and timeouts. */
  request: OutgoingRequest;
  options: CoapOption[];
  payload: Buffer;
  token: Buffer;
  intent: RequestIntent;
  /** Called with the response before any later message is processed. */
  onResponse?: (response: Response) => void;
}

/** The part of sending a request that differs between transports. */
export interface RequestSender<To, Response> {
  /** The state of the peer. @throws a CoapError when nothing can be sent to the peer */
  reach(peer: Peer): To;
  planFor(to: To, request: OutgoingRequest): BlockPlan;
  /** Sends one request message and waits for its response. The caller holds the turn of the peer's queue. */
  roundTrip(to: To, message: RequestMessage<Response>): Promise<Response>;
}
