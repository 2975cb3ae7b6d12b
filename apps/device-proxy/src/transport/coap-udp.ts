import { type BoundAddress, type CoapLimits, CoapUdpEndpoint } from '@lanyard/coap';
import { sourceOf } from '@lanyard/dtls';
import type { Logger } from '@lanyard/service';
import type { CoapUdpConfig } from '../config.js';
import { answersPerPeerMax } from '../limits.js';
import { CoapLink } from './coap-link.js';
import { parseAddress } from './peer-address.js';
import type { Sender } from './sender.js';
import type { RadioOf, Transport } from './transport.js';
import type { AdmissionControl } from './admission-control.js';
import { offerUnmatched } from './unmatched.js';
import { UplinkBridge } from './uplink-bridge.js';

/** Limits that are not configured keep their defaults. */
const limitsOf = ({ blockBytes, uploadsMax, uploadsPerAddressMax }: CoapUdpConfig): Partial<CoapLimits> => ({
  answersPerPeerMax,
  ...(blockBytes !== undefined && { blockBytes }),
  ...(uploadsMax !== undefined && { uploadsMax }),
  ...(uploadsPerAddressMax !== undefined && { uploadsPerAddressMax }),
});

/** The listener for devices without security. It belongs to one account, and to development. */
export class CoapUdp implements Transport {
  readonly scheme = 'coap';
  readonly link: CoapLink;
  readonly uplink: UplinkBridge;
  readonly endpoint: CoapUdpEndpoint;
  private bound: BoundAddress | undefined;

  constructor(
    private readonly config: CoapUdpConfig,
    admissionControl: AdmissionControl,
    private readonly logger: Logger,
    radioOf: RadioOf,
  ) {
    const sender: Sender = { accountId: config.accountId };
    this.endpoint = new CoapUdpEndpoint({
      host: config.host,
      port: config.port,
      receiveBufferBytes: config.receiveBufferBytes,
      ackTimeoutMs: config.ackTimeoutMs,
      radioOf: ({ authority }) => radioOf(config.accountId, authority),
      limits: limitsOf(config),
      sourceOf,
      onRequest: (request) => this.uplink.handle(request, sender, request.peer.authority),
      onNotification: (notification) => offerUnmatched(this.endpoint, this.link, notification),
      onHandlerError: (error) =>
        logger.warn({ err: error }, 'message of a device not handled: it will be retransmitted'),
    });
    this.uplink = new UplinkBridge(admissionControl, logger);
    this.link = new CoapLink(this.endpoint, {
      addressOf: ({ authority }) => authority,
      peerOf: (address) => {
        const { host, port } = parseAddress(address);
        return this.endpoint.peer(host, port);
      },
      senderOf: () => sender,
      disconnect: () => undefined,
    });
  }

  async start(): Promise<void> {
    this.bound = await this.endpoint.listen();
    const url = `coap://${this.endpoint.peer(this.bound.address, this.bound.port).authority}`;
    const { receiveBufferBytes: granted } = this.bound;
    const { receiveBufferBytes: asked } = this.config;
    if (granted < asked)
      this.logger.warn(
        { url, asked, granted },
        'the kernel grants less room for datagrams than requested: if many devices send at once, some are lost and retransmitted. Raise net.core.rmem_max',
      );
    this.logger.warn(
      { url, accountId: this.config.accountId },
      'CoAP WITHOUT SECURITY is on: anyone who reaches this port can pose as any device of the account. For development only.',
    );
  }

  stop(): Promise<void> {
    return this.endpoint.close();
  }

  get port(): number {
    return this.bound?.port ?? 0;
  }
}
