import { createHash } from 'node:crypto';
import { CoapUdpEndpoint, Code, formatCode, type ReceivedResponse } from '@lanyard/coap';
import { eventually } from '@lanyard/testing';

const blockBytes = 1_024;

/** A device that downloads over UDP, one block at a time, beginning at any. It keeps nothing but a digest. */
export class PullingDevice {
  private readonly hash = createHash('sha256');
  private readonly endpoint = new CoapUdpEndpoint({
    host: '127.0.0.1',
    limits: { closeTimeoutMs: 50 },
    onRequest: () => Promise.resolve({ code: Code.NotFound }),
  });

  private constructor(private port: number) {}

  static async open(port: number): Promise<PullingDevice> {
    const device = new PullingDevice(port);
    await device.endpoint.listen();
    return device;
  }

  get digest(): string {
    return this.hash.copy().digest('hex');
  }

  /** To another replica from now on. */
  talkTo(port: number): void {
    this.port = port;
  }

  /**
   * The proxy then accepts as many datagrams as it sends. Gives the id of the registration. On a busy machine a new
   * device may have to ask more than once.
   */
  register(name: string, query: readonly string[] = []): Promise<string> {
    return eventually(() => this.registerOnce(name, query));
  }

  private async registerOnce(name: string, query: readonly string[]): Promise<string> {
    const { code, locationPath = [] } = await this.endpoint.request(this.endpoint.peer('127.0.0.1', this.port), {
      method: Code.POST,
      path: ['rd'],
      query: [`ep=${name}`, 'lt=300', 'lwm2m=1.1', ...query],
      contentFormat: 40,
      payload: Buffer.from('</3/0>'),
    });
    if (code !== Code.Created) throw new Error(`not registered: ${formatCode(code)}`);
    return locationPath.at(-1)!;
  }

  block(ticket: string, num: number, accept?: number): Promise<ReceivedResponse> {
    return this.endpoint.request(this.endpoint.peer('127.0.0.1', this.port), {
      method: Code.GET,
      path: ['downloads', ticket],
      block: { offset: num * blockBytes, bytes: blockBytes },
      ...(accept !== undefined && { accept }),
    });
  }

  /** `4.04`, for example. */
  async codeOf(ticket: string, num: number, accept?: number): Promise<string> {
    return formatCode((await this.block(ticket, num, accept)).code);
  }

  /** From the block on, until the block or the end; gives the number of the next block. */
  async download(ticket: string, from = 0, until = Infinity): Promise<number> {
    for (let num = from; num < until; num++) {
      const { code, payload, block } = await this.block(ticket, num);
      if (code !== Code.Content || block === undefined) throw new Error(`block ${num}: ${formatCode(code)}`);
      this.hash.update(payload);
      if (!block.more) return num + 1;
    }
    return until;
  }

  close(): Promise<void> {
    return this.endpoint.close();
  }
}
