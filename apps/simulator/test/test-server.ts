import {
  Code,
  type CoapDatagramEndpoint,
  type CoapRequest,
  type CoapResponse,
  type CoapStreamEndpoint,
  CoapUdpEndpoint,
  type OutgoingRequest,
  type Peer,
  type ReceivedResponse,
} from '@lanyard/coap';

type Endpoint = CoapDatagramEndpoint | CoapStreamEndpoint;

export interface ReceivedRequest {
  method: number;
  path: string;
  query: string[];
  payload: Buffer;
  peer: Peer;
}

/** A CoAP server that takes every registration, unless told otherwise. */
export class TestServer {
  readonly received: ReceivedRequest[] = [];
  readonly values: string[] = [];
  refusal: CoapResponse | undefined;
  port = 0;
  /** Answers other requests than those of the registration interface. */
  onOther: (request: CoapRequest) => CoapResponse | undefined = () => undefined;
  private registrations = 0;
  readonly endpoint: Endpoint;

  /** Over UDP, or what `make` returns. */
  constructor(
    make: (options: {
      limits: { closeTimeoutMs: number };
      onRequest: (request: CoapRequest) => Promise<CoapResponse>;
    }) => Endpoint = (options) => new CoapUdpEndpoint({ host: '127.0.0.1', ...options }),
    private readonly scheme = 'coap',
  ) {
    this.endpoint = make({
      limits: { closeTimeoutMs: 50 },
      onRequest: (request) => Promise.resolve(this.answer(request)),
    });
  }

  async listen(): Promise<this> {
    this.port = (await this.endpoint.listen()).port;
    return this;
  }

  get url(): string {
    return `${this.scheme}://127.0.0.1:${this.port}`;
  }

  registered(name: string): ReceivedRequest[] {
    return this.received.filter(({ query }) => query.includes(`ep=${name}`));
  }

  peerOf(name: string): Peer {
    return (this.registered(name).at(-1) as ReceivedRequest).peer;
  }

  count(method: number, path: RegExp): number {
    return this.received.filter((one) => one.method === method && path.test(one.path)).length;
  }

  send(peer: Peer, method: number, path: string, rest: Partial<OutgoingRequest> = {}): Promise<ReceivedResponse> {
    const segments = path.split('/').filter((segment) => segment !== '');
    return this.endpoint.request(peer, { method, path: segments, ...rest });
  }

  /** `2.5 payload` */
  async ask(peer: Peer, method: number, path: string, rest: Partial<OutgoingRequest> = {}): Promise<string> {
    const { code, payload } = await this.send(peer, method, path, rest);
    return `${code >> 5}.${code & 31} ${payload.toString()}`;
  }

  async observe(peer: Peer, path: string, rest: Partial<OutgoingRequest> = {}): Promise<ReceivedResponse> {
    const request = { method: Code.GET, path: path.split('/').slice(1), ...rest };
    const { response } = await this.endpoint.observe(peer, request, async ({ payload }) => {
      this.values.push(payload.toString());
    });
    return response;
  }

  private answer(request: CoapRequest): CoapResponse {
    const { method, path, query, payload, peer } = request;
    this.received.push({ method, path: `/${path.join('/')}`, query, payload, peer });
    if (this.refusal) return this.refusal;
    if (path[0] !== 'rd') return this.onOther(request) ?? { code: Code.NotFound };
    if (method === Code.DELETE) return { code: Code.Deleted };
    if (path.length === 2) return { code: Code.Changed };
    return { code: Code.Created, locationPath: ['rd', `r${this.registrations++}`] };
  }
}
