import { type CoapRequest } from '../messages/request.js';
import { type CoapResponse } from '../messages/response.js';
import { type UnmatchedNotification } from '../messages/notification.js';
import { type Peer } from '../messages/peer.js';
import { type CoapEvent } from './events.js';
import { type SharedOptions } from './shared-core.js';
import { type CoapLimits } from '../limits.js';
import { type DatagramTransport } from './datagram-transport.js';

/** How messages are sent to one peer. */
export interface PeerRadio {
  /** ACK_TIMEOUT of confirmable messages that do not set one. */
  ackTimeoutMs?: number | undefined;
  /** Size of sent blocks: a power of two, 16 to 1024. */
  blockBytes?: number | undefined;
}

export interface CoapDatagramEndpointOptions extends SharedOptions<CoapEvent> {
  transport: DatagramTransport;
  /** Between 0 and 1, for the spread of retransmissions. Default Math.random. */
  random?: () => number;
  /** ACK_TIMEOUT of confirmable messages that do not set one; default 2 s. Narrow-band devices need 8 to 10 s. */
  ackTimeoutMs?: number | undefined;
  limits?: Partial<CoapLimits>;
  /** Parameters of a peer that needs others than the endpoint's, for example on a slow radio. Called for each message. */
  radioOf?(peer: Peer): PeerRadio | undefined;
  /** Answers a request. A rejection is answered with 5.00 and no text. */
  onRequest(request: CoapRequest): Promise<CoapResponse>;
  /**
   * A notification (or a late response) whose token is unknown: 'accepted' acknowledges it; 'rejected' answers with a Reset;
   * 'restored' means that its observation is known here from now on (`restoreObservation`) and gets it; a rejected promise answers
   * nothing, so that the peer tries again. Without this hook, all are answered with a Reset.
   */
  onNotification?(notification: UnmatchedNotification): Promise<'accepted' | 'rejected' | 'restored'>;
  /** Device role: a non-confirmable notification was reset, so the observer is gone. */
  onObserverReset?(observer: { peer: Peer; token: Buffer }): void;
}

export interface CoapUdpEndpointOptions extends Omit<CoapDatagramEndpointOptions, 'transport'> {
  /** Literal IP address to bind; default `0.0.0.0`. An IPv6 address makes an IPv6 socket. */
  host?: string;
  /** Default 0: any free port. */
  port?: number;
  /** SO_RCVBUF; the kernel caps it at net.core.rmem_max. */
  receiveBufferBytes?: number;
}
