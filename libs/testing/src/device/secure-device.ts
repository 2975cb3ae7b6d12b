import { Code, type CoapRequest, type CoapResponse, formatCode, type ReceivedResponse } from '@lanyard/coap';
import type { DeviceSecurity } from './device-security.js';
import type { DtlsLine, DtlsLineOptions } from './dtls-line.js';
import { DtlsCarrier, type SecureCarrier, StreamCarrier } from './secure-carrier.js';

/** A device that speaks CoAP over TLS, TCP or DTLS: one temperature, one relay. */
export class SecureDevice {
  temperature = '21.5';
  written: string[] = [];
  /** Payloads of the requests for composite observations, each a list of paths, on any connection. */
  readonly compositeRequests: string[] = [];
  registrationId = '';
  /** Runs before each answer, for example to delay it. */
  beforeAnswer?: () => Promise<void>;
  private readonly observers: Buffer[] = [];
  private reports = 1;
  private readonly carrier: SecureCarrier;
  private readonly binding: 'T' | 'U';

  /** `stream`: over TLS, or over TCP without security. */
  constructor(
    readonly name: string,
    over: 'stream' | Pick<DtlsLineOptions, 'connectionId' | 'handshakeMs' | 'localHost'> = 'stream',
  ) {
    const onRequest = (request: CoapRequest): Promise<CoapResponse> => this.answer(request);
    this.binding = over === 'stream' ? 'T' : 'U';
    this.carrier = over === 'stream' ? new StreamCarrier(onRequest) : new DtlsCarrier(onRequest, over);
  }

  /** Rejects when the server refuses the device. */
  async connect(port: number, security?: DeviceSecurity): Promise<void> {
    this.observers.length = 0;
    await this.carrier.connect(port, security);
  }

  get connected(): boolean {
    return this.carrier.isConnected;
  }

  /** Its connection over DTLS. */
  get dtls(): DtlsLine {
    const line = this.carrier instanceof DtlsCarrier ? this.carrier.line : undefined;
    if (!line) throw new Error(`${this.name} has no DTLS connection`);
    return line;
  }

  get observed(): boolean {
    return this.observers.length > 0;
  }

  async post(path: string[], query: string[] = [], payload = '', contentFormat?: number): Promise<string> {
    const response = await this.send(Code.POST, path, query, { payload, contentFormat });
    if (path.length === 1 && response.locationPath?.[0] === 'rd') this.registrationId = response.locationPath[1] ?? '';
    return formatCode(response.code);
  }

  get(path: string[]): Promise<ReceivedResponse> {
    return this.send(Code.GET, path);
  }

  register(name = this.name, lifetimeSeconds = 300): Promise<string> {
    const query = [`ep=${name}`, `lt=${lifetimeSeconds}`, 'lwm2m=1.1', `b=${this.binding}`];
    return this.post(['rd'], query, '</3/0>,</3303/0>', 40);
  }

  update(registrationId = this.registrationId): Promise<string> {
    return this.post(['rd', registrationId]);
  }

  async deregister(registrationId = this.registrationId): Promise<string> {
    return formatCode((await this.send(Code.DELETE, ['rd', registrationId])).code);
  }

  report(value: string): void {
    this.temperature = value;
    for (const token of this.observers)
      this.carrier.notify({
        token,
        observeNumber: ++this.reports,
        payload: Buffer.from(value),
        contentFormat: 0,
        confirmable: true,
      });
  }

  disconnect(): void {
    this.carrier.disconnect();
  }

  close(): Promise<void> {
    return this.carrier.close();
  }

  private send(
    method: number,
    path: string[],
    query: string[] = [],
    { payload = '', contentFormat }: { payload?: string; contentFormat?: number } = {},
  ): Promise<ReceivedResponse> {
    return this.carrier.request({
      method,
      path,
      query,
      payload: Buffer.from(payload),
      ...(contentFormat !== undefined && { contentFormat }),
    });
  }

  private async answer({ method, path, observe, token, payload }: CoapRequest): Promise<CoapResponse> {
    await this.beforeAnswer?.();
    if (method === Code.FETCH) {
      this.compositeRequests.push(payload.toString());
      const value = JSON.stringify([{ n: '/3303/0/5700', v: Number(this.temperature) }]);
      return { code: Code.Content, payload: Buffer.from(value), contentFormat: 110, observe: 1 };
    }
    if (path.join('/') !== '3303/0/5700') return { code: Code.NotFound };
    if (method === Code.PUT) {
      this.written.push(payload.toString());
      return { code: Code.Changed };
    }
    if (observe === 0) this.observers.push(token);
    return {
      code: Code.Content,
      payload: Buffer.from(this.temperature),
      contentFormat: 0,
      ...(observe === 0 && { observe: 1 }),
    };
  }
}
