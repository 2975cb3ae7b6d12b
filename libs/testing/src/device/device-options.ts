export interface DeviceOptions {
  /** Endpoint name. */
  name: string;
  /** `coap://127.0.0.1:5683`; the host is a literal IP address. */
  server: string;
  lifetimeSeconds?: number;
  lwm2mVersion?: string;
  /** The device registers in queue mode. */
  queueMode?: boolean;
  /** Further parameters of the registration, for example `{ et: 'meter' }`. */
  parameters?: Record<string, string>;
  /** Content-Formats that the device lists and supports. Default: text, opaque, SenML JSON and TLV. */
  formats?: readonly number[];
  /** The registration lists each resource, not only instances. */
  listsResources?: boolean;
  /** Takes the place of the list made from the resources. */
  links?: string;
  /** First retransmission of a message; short ones make tests quick. Default 300 ms. */
  ackTimeoutMs?: number;
}
