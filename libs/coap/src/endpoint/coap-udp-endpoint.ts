import { isIPv4, isIPv6 } from 'node:net';
import { type CoapUdpEndpointOptions } from '../state/options.js';
import { type Peer, peerOf } from '../messages/peer.js';
import { CoapDatagramEndpoint } from './coap-datagram-endpoint.js';
import { UdpTransport } from './udp-transport.js';

/** One UDP socket that speaks CoAP in both roles. A peer is a source address. */
export class CoapUdpEndpoint extends CoapDatagramEndpoint {
  private readonly host: string;

  constructor({ host = '0.0.0.0', port = 0, receiveBufferBytes, ...options }: CoapUdpEndpointOptions) {
    super({ ...options, transport: new UdpTransport({ host, port, receiveBufferBytes }) });
    this.host = host;
  }

  /** The peer at an address; creates no state. @throws InvalidPeerAddress */
  peer(address: string, port: number): Peer {
    // An IPv6 socket sees IPv4 peers in mapped form.
    return peerOf(isIPv6(this.host) && isIPv4(address) ? `::ffff:${address}` : address, port);
  }
}
