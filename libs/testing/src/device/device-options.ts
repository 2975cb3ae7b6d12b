import type { DeviceSecurity } from './device-security.js';
import type { DtlsLineOptions } from './dtls-line.js';

export interface DeviceOptions {
  /** Endpoint name. */
  name: string;
  /** `coap://127.0.0.1:5683`, or `coaps://127.0.0.1:5684` over DTLS; the host is a literal IP address. */
  server: string;
  /** For `coaps://`. */
  security?: DeviceSecurity;
  /** For `coaps://`: connection ids and times. */
  dtls?: Omit<DtlsLineOptions, 'server' | 'security'>;
  lifetimeSeconds?: number;
  lwm2mVersion?: string;
  /** The device registers in queue mode. */
  queueMode?: boolean;
  /** Further parameters of the registration, for example `{ et: 'meter' }`. */
  parameters?: Record<string, string>;
  /** Content-Formats that the device supports and lists. Default: text, opaque, SenML JSON and TLV. */
  formats?: readonly number[];
  /** The registration lists each resource, not only instances. */
  listsResources?: boolean;
  /** Replaces the list that is made from the resources. */
  links?: string;
  /** First retransmission of a message; short ones make tests quick. Default 300 ms. */
  ackTimeoutMs?: number;
}
