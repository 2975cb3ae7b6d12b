import { type Peer, streamPeerOf } from '@lanyard/coap';

/**
 * The address of a device. Over UDP: `127.0.0.1:5683` or `[::1]:5683`. Otherwise its one connection: over TCP and TLS
 * `coaps+tcp://127.0.0.1:40001#3af1`, over DTLS the connection id, `coaps://5bc1a9f2e07d3364`, wherever the device sends from. The
 * address of a device behind a gateway is the gateway's device and the prefix there, `via://<device id>/<prefix>`.
 */
export type Scheme = 'coap' | 'coaps' | 'coap+tcp' | 'coaps+tcp' | 'via';

export const parseAddress = (text: string): { host: string; port: number } => {
  const colon = text.lastIndexOf(':');
  return { host: text.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(text.slice(colon + 1)) };
};

export const connectionAddress = (scheme: Scheme, { key }: Pick<Peer, 'key'>): string => `${scheme}://${key}`;

/** The key of the connection in the address of a connection. */
export const connectionId = (address: string): string => address.slice(address.indexOf('://') + 3);

export const connectionPeer = (address: string): Peer => streamPeerOf(connectionId(address));

export const schemeOf = (address: string): Scheme => {
  const end = address.indexOf('://');
  return end < 0 ? 'coap' : (address.slice(0, end) as Scheme);
};

/** Whether another replica can continue the address: a device without security, or a DTLS connection with a connection id. */
export const outlivesReplica = (address: string): boolean =>
  schemeOf(address) === 'coap' || /^coaps:\/\/[0-9a-f]+$/.test(address);

/** Whether the address is a connection: then the address, and the observations of its device, end with it. */
export const isConnection = (address: string): boolean => schemeOf(address) !== 'coap';

/** Whether the connection outlives its device: nothing ends a DTLS connection that the device has forgotten. */
export const outlivesItsDevice = (address: string): boolean => schemeOf(address) === 'coaps';

export const viaAddress = (gatewayId: string, prefix: string): string => `via://${gatewayId}/${prefix}`;

/** The gateway in the address of a device behind it, and the prefix there; undefined for any other address. */
export const viaOf = (address: string): { gatewayId: string; prefix: string } | undefined => {
  if (!address.startsWith('via://')) return undefined;
  const [gatewayId = '', prefix = ''] = connectionId(address).split('/');
  return { gatewayId, prefix };
};
