import { type OutgoingRequest } from '../messages/request.js';
import { type ReceivedResponse } from '../messages/response.js';
import { type NotificationHandler, type Observation } from '../messages/notification.js';
import { type NewestNotification } from '../peer/observe-order.js';
import { type Before } from '../observe/observer.js';
import { type Peer } from '../messages/peer.js';

/** Operations on a peer, independent of its transport. */
export interface CoapEndpoint {
  /** The peer matters until `forgetPeer`: over UDP its answers are remembered, over TCP its connection may be quiet. */
  keepPeer(peer: Peer): void;
  /** Drops observations, and rejects what waits for the peer with PeerForgotten. */
  forgetPeer(peer: Peer): void;
  /** Sends a request when the peer has capacity, and returns the complete response, whatever its code. Rejects with a CoapError. */
  request(peer: Peer, request: OutgoingRequest): Promise<ReceivedResponse>;
  /** Sends a request with Observe 0. The handler may be called before the promise resolves. */
  observe(
    peer: Peer,
    request: OutgoingRequest & { token?: Buffer },
    onNotification: NotificationHandler,
  ): Promise<Observation<ReceivedResponse>>;
  /** Recognises the notifications of an observation that this endpoint did not register. One that it knows stays as it is. */
  restoreObservation(peer: Peer, token: Buffer, onNotification: NotificationHandler, before?: Before): void;
  /** Of each observation of the peer that had one. None where the transport keeps the order by itself. */
  newestNotifications(peer: Peer): NewestNotification[];
  /** Forgets an observation without a message: later notifications of the peer match nothing. */
  forgetObservation(peer: Peer, token: Buffer): void;
  /** Sends the request with Observe 1 and the token of the observation. However it ends, the observation is forgotten. */
  cancelObservation(peer: Peer, token: Buffer, request: OutgoingRequest): Promise<ReceivedResponse>;
}
