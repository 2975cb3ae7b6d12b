import { type Socket } from 'node:net';
import { type TLSSocket } from 'node:tls';
import { type CoapRequest } from '../messages/request.js';
import { type CoapResponse } from '../messages/response.js';
import { type UnmatchedNotification } from '../messages/notification.js';
import { type Peer } from '../messages/peer.js';
import { type SharedOptions } from '../state/shared-core.js';
import { type StreamEvent } from './events.js';
import { type StreamLimits } from './limits.js';

/** TLS 1.2 for the listener (LwM2M 1.1 transport §5.2). Without a certificate, only pre-shared keys work. */
export interface StreamSecurity {
  /** PEM, including the chain of the certificate. */
  certificate?: string;
  /** PEM. */
  privateKey?: string;
  /** The key of a PSK identity, from memory, because nothing can be awaited in a handshake. `undefined` refuses the identity. */
  keyOf?(identity: string, socket: TLSSocket): Buffer | undefined;
}

export interface CoapStreamEndpointOptions extends SharedOptions<StreamEvent> {
  /** Literal IP address to bind; default `0.0.0.0`. */
  host?: string;
  /** Default 0: any free port. */
  port?: number;
  /** Without this, the listener is plain TCP: anyone can read and write. */
  security?: StreamSecurity;
  limits?: Partial<StreamLimits>;
  /** Answers a request. A rejection is answered with 5.00 and no text. */
  onRequest(request: CoapRequest): Promise<CoapResponse>;
  /** A response whose token is unknown; over TCP there is no Reset to reject it. */
  onNotification?(notification: UnmatchedNotification): Promise<'accepted' | 'rejected'>;
  /** Decides whether a peer whose handshake succeeded may send and receive. */
  onConnection?(peer: Peer, socket: Socket | TLSSocket): boolean;
  onDisconnected?(peer: Peer): void;
  /** The TLS handshake failed, for example because the key was wrong. */
  onHandshakeFailed?(error: Error, socket: TLSSocket): void;
}
