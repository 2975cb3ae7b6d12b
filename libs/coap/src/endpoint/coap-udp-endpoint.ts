import { type ReceivedResponse } from '../exchange/response.js';
import { type OutgoingRequest } from '../exchange/request.js';
import {
  type NotificationHandler,
  type NotifyOutcome,
  type Observation,
  type OutgoingNotification,
} from '../observe/notification.js';
import { type Peer } from '../peer/peer.js';
import { type CoapEvent, type CoapGauges } from './events.js';
import { type CoapUdpEndpointOptions } from './options.js';

/** Interim: the surface only, so that others can compile against it. Replaced within the hour. */
export declare class CoapUdpEndpoint {
  constructor(options: CoapUdpEndpointOptions);
  listen(): Promise<{ address: string; port: number; receiveBufferBytes: number }>;
  close(): Promise<void>;
  peer(address: string, port: number): Peer;
  keepPeer(peer: Peer): void;
  forgetPeer(peer: Peer): void;
  request(peer: Peer, request: OutgoingRequest): Promise<ReceivedResponse>;
  observe(
    peer: Peer,
    request: OutgoingRequest & { token?: Buffer },
    onNotification: NotificationHandler,
  ): Promise<Observation<ReceivedResponse>>;
  restoreObservation(peer: Peer, token: Buffer, onNotification: NotificationHandler, request?: OutgoingRequest): void;
  cancelObservation(peer: Peer, token: Buffer, request: OutgoingRequest): Promise<ReceivedResponse>;
  notify(peer: Peer, notification: OutgoingNotification): Promise<NotifyOutcome>;
  counters(): Readonly<Record<CoapEvent, number>>;
  gauges(): CoapGauges;
}
