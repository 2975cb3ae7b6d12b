import {
  type CoapRequest,
  type CoapResponse,
  CoapStreamEndpoint,
  CoapUdpEndpoint,
  Code,
  type Peer,
} from '@lanyard/coap';
import { eventually } from '@lanyard/testing';

const limits = { bodyBytesMax: 64 * 1_048_576, closeTimeoutMs: 50 };

/** A device that is written packages to, and that downloads them. */
export class UpdatedDevice {
  readonly written: { path: string; contentFormat?: number | undefined; payload: Buffer }[] = [];
  private server!: Peer;

  private constructor(private readonly endpoint: CoapUdpEndpoint | CoapStreamEndpoint) {}

  /** `answer`: to each request of the server; the default stores what is written. */
  static async overUdp(port: number, answer?: (request: CoapRequest) => Promise<CoapResponse>): Promise<UpdatedDevice> {
    const endpoint = new CoapUdpEndpoint({
      host: '127.0.0.1',
      limits,
      onRequest: (request) => answer?.(request) ?? device.store(request),
    });
    const device = new UpdatedDevice(endpoint);
    await endpoint.listen();
    device.server = endpoint.peer('127.0.0.1', port);
    endpoint.keepPeer(device.server);
    return device;
  }

  static async overTcp(port: number): Promise<UpdatedDevice> {
    const endpoint = new CoapStreamEndpoint({ limits, onRequest: (request) => device.store(request) });
    const device = new UpdatedDevice(endpoint);
    device.server = await endpoint.connect({ host: '127.0.0.1', port });
    return device;
  }

  /** To another replica from now on. */
  talkTo(port: number): void {
    if (this.endpoint instanceof CoapUdpEndpoint) this.server = this.endpoint.peer('127.0.0.1', port);
  }

  /** Gives the location of the registration. On a busy machine a new device may have to ask more than once. */
  register(name: string, query: readonly string[] = []): Promise<string> {
    return eventually(() => this.registerOnce(name, query));
  }

  private async registerOnce(name: string, query: readonly string[]): Promise<string> {
    const { code, locationPath = [] } = await this.endpoint.request(this.server, {
      method: Code.POST,
      path: ['rd'],
      query: [`ep=${name}`, 'lt=300', 'lwm2m=1.1', ...query],
      contentFormat: 40,
      payload: Buffer.from('</3/0>,</5/0>'),
    });
    if (code !== Code.Created) throw new Error(`not registered: ${code}`);
    return locationPath.at(-1)!;
  }

  async ask(method: number, path: string[]): Promise<number> {
    return (await this.endpoint.request(this.server, { method, path })).code;
  }

  async download(ticket: string) {
    return this.endpoint.request(this.server, { method: Code.GET, path: ['downloads', ticket] });
  }

  close(): Promise<void> {
    return this.endpoint.close();
  }

  private async store({ method, path, payload, contentFormat }: CoapRequest): Promise<CoapResponse> {
    if (method === Code.GET) return { code: Code.Content, contentFormat: 0, payload: Buffer.from('0') };
    this.written.push({ path: `/${path.join('/')}`, contentFormat, payload });
    return { code: Code.Changed };
  }
}
