import { Code, type CoapRequest, type CoapResponse, CoapUdpEndpoint, type UnmatchedNotification } from '@lanyard/coap';
import type { Logger, Metrics } from '@lanyard/service';
import type { CoapConfig } from '../config.js';
import { CoapLink } from './coap-link.js';
import { addressOf } from './peer-address.js';
import type { UplinkReply, UplinkRequest } from './uplink-request.js';

export type AnswerRequest = (request: UplinkRequest) => Promise<UplinkReply> | UplinkReply;

const methodNames = new Map<number, string>(
  (['GET', 'POST', 'PUT', 'DELETE', 'FETCH', 'PATCH', 'IPATCH'] as const).map((name) => [Code[name], name]),
);

const codeOf = (text: string): number => {
  const [codeClass, detail] = text.split('.');
  return (Number(codeClass) << 5) | Number(detail);
};

const uplinkRequest = ({ method, path, query, payload, contentFormat, peer }: CoapRequest): UplinkRequest => ({
  address: addressOf(peer),
  method: methodNames.get(method) ?? '',
  path,
  query,
  payload,
  ...(contentFormat !== undefined && { contentFormat }),
});

const coapResponse = ({ code, location, diagnostic, afterwards }: UplinkReply): CoapResponse => ({
  code: codeOf(code),
  ...(location && { locationPath: [...location] }),
  ...(diagnostic !== undefined && { payload: Buffer.from(diagnostic) }),
  ...(afterwards && { onSent: afterwards }),
});

/** The listener for devices without security. It belongs to one account, and to development. */
export class CoapUdp {
  readonly link: CoapLink;
  private readonly endpoint: CoapUdpEndpoint;
  private answer: AnswerRequest = () => ({ code: '5.03' });
  private bound: { address: string; port: number } | undefined;

  constructor(
    private readonly config: CoapConfig,
    private readonly logger: Logger,
    metrics: Metrics,
  ) {
    const events = metrics.counter({
      name: 'lanyard_device_proxy_coap_events_total',
      help: 'What happened to datagrams, requests and notifications on the CoAP port',
      labelNames: ['event'],
    });
    this.endpoint = new CoapUdpEndpoint({
      host: config.host,
      port: config.port,
      onRequest: (request) => this.handle(request),
      onNotification: (notification) => this.unmatched(notification),
      metrics: { count: (event) => events.inc({ event }) },
      onHandlerError: (error) => logger.warn({ err: error }, 'message of a device not handled: it will come again'),
    });
    this.link = new CoapLink(this.endpoint);
  }

  onRequest(answer: AnswerRequest): void {
    this.answer = answer;
  }

  async start(): Promise<void> {
    this.bound = await this.endpoint.listen();
    const url = `coap://${addressOf(this.bound)}`;
    this.logger.warn(
      { url, accountId: this.config.accountId },
      'CoAP WITHOUT SECURITY is on: anyone who reaches this port is any device of the account. For development only.',
    );
  }

  stop(): Promise<void> {
    return this.endpoint.close();
  }

  /** Bound UDP port. */
  get port(): number {
    return this.bound?.port ?? 0;
  }

  /** An engine that is away is not the device's fault: 5.03 makes it try again later. */
  private async handle(request: CoapRequest): Promise<CoapResponse> {
    try {
      return coapResponse(await this.answer(uplinkRequest(request)));
    } catch (error) {
      this.logger.error(
        { err: error, address: addressOf(request.peer), path: request.path.join('/') },
        'request of a device failed',
      );
      return { code: Code.ServiceUnavailable, maxAgeSeconds: 5 };
    }
  }

  /** The observation may be another replica's, or from before a restart: then it is this replica's from now on. */
  private async unmatched(notification: UnmatchedNotification): Promise<'accepted' | 'rejected'> {
    if (notification.partial) throw new Error('first block of a value whose request is not known yet');
    return (await this.link.offer(notification)) ? 'accepted' : 'rejected';
  }
}
