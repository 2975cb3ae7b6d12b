import type { PeerRadio } from '@lanyard/coap';
import type { CoapLink } from './coap-link.js';
import type { Scheme } from './peer-address.js';
import type { UplinkBridge } from './uplink-bridge.js';

/** How messages are sent to the registered device at an address, if different from the listener's defaults. */
export type RadioOf = (accountId: string, address: string) => PeerRadio | undefined;

/** Called when the connection of a device is over. */
export type DisconnectListener = (accountId: string, address: string) => void;

/** One listener for devices. */
export interface Transport {
  readonly scheme: Scheme;
  readonly uplink: UplinkBridge;
  readonly link: CoapLink;
  /** Bound port; 0 before `start`. */
  readonly port: number;
  start(): Promise<void>;
  /** Lets requests in flight finish, for a few seconds at most. */
  stop(): Promise<void>;
}
