import {
  CoapDatagramEndpoint,
  type CoapEndpoint,
  type CoapRequest,
  type CoapResponse,
  CoapStreamEndpoint,
  CoapUdpEndpoint,
  Code,
  formatCode,
  type Peer,
  type ReceivedResponse,
} from '@lanyard/coap';
import { decodeValues, encodeValues, type Scalar, standardModels } from '@lanyard/lwm2m';
import { type DeviceSecurity, DtlsLine, dtlsServer, tlsOptions } from '@lanyard/testing';

const models = standardModels();
const methods: Record<number, string> = {
  [Code.GET]: 'GET',
  [Code.PUT]: 'PUT',
  [Code.POST]: 'POST',
  [Code.DELETE]: 'DELETE',
};
const linkFormat = 40;
const codeOf = (text: string): number => (Number(text[0]) << 5) | Number(text.slice(2));

/** A device that has the account of a bootstrap server and nothing else, over UDP, DTLS, TCP or TLS. */
export class BootstrappingDevice {
  /** What the server asked, as `PUT /0/1`. */
  readonly asked: string[] = [];
  /** Resources of the Security and Server objects. The account of the bootstrap server is Security instance 0. */
  readonly resources = new Map<string, Scalar>([
    ['/0/0/0', 'coap://127.0.0.1:5783'],
    ['/0/0/1', true],
  ]);
  /** Codes with which it refuses a request. */
  readonly refuses = new Map<string, string>();
  /** Runs before it answers. */
  beforeAnswer: (asked: string) => void | Promise<void> = () => undefined;
  version = '1.1';
  private readonly options = {
    host: '127.0.0.1',
    limits: { closeTimeoutMs: 50 },
    onRequest: (request: CoapRequest): Promise<CoapResponse> => this.answer(request),
  };
  private readonly udp = new CoapUdpEndpoint(this.options);
  private readonly stream = new CoapStreamEndpoint(this.options);
  private line: DtlsLine | undefined;
  private datagrams: CoapDatagramEndpoint | undefined;
  private to: { endpoint: CoapEndpoint; peer: Peer } | undefined;

  constructor(readonly name: string) {}

  async overUdp(port: number): Promise<this> {
    await this.udp.listen();
    this.to = { endpoint: this.udp, peer: this.udp.peer('127.0.0.1', port) };
    return this;
  }

  /** Over TLS, or plain TCP. Rejects when the server does not let it in. */
  async overStream(port: number, security?: DeviceSecurity): Promise<this> {
    const peer = await this.stream.connect({
      host: '127.0.0.1',
      port,
      ...(security && { tls: tlsOptions(security) }),
    });
    this.to = { endpoint: this.stream, peer };
    return this;
  }

  /** Rejects when the server does not let it in. */
  async overDtls(port: number, security: DeviceSecurity): Promise<this> {
    await this.datagrams?.close();
    this.line = new DtlsLine({ server: { host: '127.0.0.1', port }, security });
    this.datagrams = new CoapDatagramEndpoint({ ...this.options, transport: this.line });
    await this.datagrams.listen();
    this.to = { endpoint: this.datagrams, peer: dtlsServer };
    return this;
  }

  disconnect(): void {
    this.line?.disconnect();
    if (this.to?.endpoint === this.stream) this.stream.disconnect(this.to.peer, 'bye');
  }

  /** Bootstrap-Request. */
  async bootstrap(query: readonly string[] = [`ep=${this.name}`]): Promise<string> {
    return formatCode((await this.request(Code.POST, ['bs'], query)).code);
  }

  /** Bootstrap-Pack-Request. */
  pack(accept?: number, query: readonly string[] = [`ep=${this.name}`]): Promise<ReceivedResponse> {
    return this.request(Code.GET, ['bspack'], query, accept);
  }

  async register(): Promise<string> {
    const query = [`ep=${this.name}`, 'lt=300', 'lwm2m=1.1'];
    return formatCode((await this.request(Code.POST, ['rd'], query)).code);
  }

  /** Any request. */
  send(method: number, path: string[]): Promise<ReceivedResponse> {
    return this.request(method, path, []);
  }

  async close(): Promise<void> {
    await Promise.all([this.udp.close(), this.stream.close(), this.datagrams?.close()]);
  }

  private request(
    method: number,
    path: string[],
    query: readonly string[],
    accept?: number,
  ): Promise<ReceivedResponse> {
    if (!this.to) throw new Error(`${this.name} is not connected`);
    const { endpoint, peer } = this.to;
    return endpoint.request(peer, { method, path, query: [...query], ...(accept !== undefined && { accept }) });
  }

  private async answer(request: CoapRequest): Promise<CoapResponse> {
    const path = `/${request.path.join('/')}`;
    const asked = `${methods[request.method]} ${path}`;
    this.asked.push(asked);
    await this.beforeAnswer(asked);
    const refusal = this.refuses.get(asked);
    if (refusal !== undefined) return { code: codeOf(refusal) };
    if (asked === 'POST /bs') return { code: Code.Changed };
    if (request.method === Code.PUT) return this.write(path, request);
    if (request.method === Code.DELETE) return this.delete(path);
    return request.accept === linkFormat ? this.discover() : this.read(path, request.accept);
  }

  private instances(): string[] {
    return [...new Set([...this.resources.keys()].map((path) => path.split('/').slice(0, 3).join('/')))];
  }

  private discover(): CoapResponse {
    const links = this.instances().map((path) => {
      const ssid = this.resources.get(`${path}/${path.startsWith('/0/') ? 10 : 0}`);
      return `<${path}>${typeof ssid === 'number' && path.startsWith('/0/') ? `;ssid=${ssid}` : ''}`;
    });
    const root = this.version === '1.0' ? 'lwm2m="1.0"' : `</>;lwm2m=${this.version}`;
    return { code: Code.Content, payload: Buffer.from([root, ...links].join(',')), contentFormat: linkFormat };
  }

  private read(path: string, format = 11_542): CoapResponse {
    const values = [...this.resources].flatMap(([at, value]) =>
      at.startsWith(`${path}/`)
        ? [{ path: at, value, type: typeof value === 'number' ? 'integer' : 'string' } as const]
        : [],
    );
    return { code: Code.Content, payload: encodeValues(format, path, values), contentFormat: format };
  }

  private delete(path: string): CoapResponse {
    for (const at of this.resources.keys())
      if (at.startsWith(path === '/' ? path : `${path}/`) && !at.startsWith('/0/0/')) this.resources.delete(at);
    return { code: Code.Deleted };
  }

  private write(path: string, { payload, contentFormat = 0 }: CoapRequest): CoapResponse {
    for (const { path: at, value } of decodeValues(contentFormat, payload, path, models)) this.resources.set(at, value);
    return { code: Code.Changed };
  }
}
