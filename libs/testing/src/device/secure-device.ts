import type { ConnectionOptions } from 'node:tls';
import { CoapStreamEndpoint, Code, formatCode, type Peer, type ReceivedResponse } from '@lanyard/coap';

const ciphers = 'PSK-AES128-CCM8:ECDHE-ECDSA-AES128-CCM8:ECDHE-ECDSA-AES128-GCM-SHA256:@SECLEVEL=0';

export const withKey = (identity: string, keyHex: string): ConnectionOptions => ({
  ciphers,
  maxVersion: 'TLSv1.2',
  pskCallback: () => ({ identity, psk: Buffer.from(keyHex, 'hex') }),
  checkServerIdentity: () => undefined,
});

export const withCertificate = (
  { certificate, privateKey }: { certificate: string; privateKey: string },
  server: string,
): ConnectionOptions => ({
  ciphers,
  maxVersion: 'TLSv1.2',
  cert: certificate,
  key: privateKey,
  ca: server,
  checkServerIdentity: () => undefined,
});

/** A device that speaks CoAP over TLS or TCP: one temperature, one relay. */
export class SecureDevice {
  temperature = '21.5';
  written: string[] = [];
  /** Lists of paths that it was asked to report together, on whatever connection. */
  readonly together: string[] = [];
  registrationId = '';
  private readonly observers: Buffer[] = [];
  private peer: Peer | undefined;
  private readonly endpoint = new CoapStreamEndpoint({
    host: '127.0.0.1',
    onRequest: async ({ method, path, observe, token, payload }) => {
      if (method === Code.FETCH) {
        this.together.push(payload.toString());
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
    },
  });

  constructor(readonly name: string) {}

  /** Rejects when the server does not let it in. */
  async connect(port: number, tls?: ConnectionOptions): Promise<void> {
    this.observers.length = 0;
    this.peer = await this.endpoint.connect({ host: '127.0.0.1', port, ...(tls && { tls }) });
  }

  get connected(): boolean {
    return this.peer !== undefined && this.endpoint.isConnected(this.peer);
  }

  get observed(): boolean {
    return this.observers.length > 0;
  }

  async post(path: string[], query: string[] = [], payload = '', contentFormat?: number): Promise<string> {
    const response = await this.send(Code.POST, path, query, payload, contentFormat);
    if (path.length === 1 && response.locationPath?.[0] === 'rd') this.registrationId = response.locationPath[1] ?? '';
    return formatCode(response.code);
  }

  register(name = this.name): Promise<string> {
    return this.post(['rd'], [`ep=${name}`, 'lt=300', 'lwm2m=1.1', 'b=T'], '</3/0>,</3303/0>', 40);
  }

  update(registrationId = this.registrationId): Promise<string> {
    return this.post(['rd', registrationId]);
  }

  async deregister(registrationId = this.registrationId): Promise<string> {
    return formatCode((await this.send(Code.DELETE, ['rd', registrationId], [], '')).code);
  }

  report(value: string): void {
    this.temperature = value;
    for (const token of this.observers)
      this.endpoint.notify(this.peer!, { token, observeNumber: 2, payload: Buffer.from(value), contentFormat: 0 });
  }

  disconnect(): void {
    if (this.peer) this.endpoint.disconnect(this.peer, 'bye');
  }

  close(): Promise<void> {
    return this.endpoint.close();
  }

  private send(
    method: number,
    path: string[],
    query: string[],
    payload: string,
    contentFormat?: number,
  ): Promise<ReceivedResponse> {
    return this.endpoint.request(this.peer!, {
      method,
      path,
      query,
      payload: Buffer.from(payload),
      ...(contentFormat !== undefined && { contentFormat }),
    });
  }
}
