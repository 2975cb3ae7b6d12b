import { CoapUdpEndpoint } from '@lanyard/coap';
import { DatagramTransport, endpointLimits } from './datagram-transport.js';
import { type Server } from './device-transport.js';
import { localAddress } from './local-address.js';
import { isPackage } from './package-blocks.js';

export class UdpTransport extends DatagramTransport<CoapUdpEndpoint> {
  private port = 0;
  private server: Server | undefined;

  get isOpen(): boolean {
    return this.peer !== undefined;
  }

  async open(server: Server): Promise<void> {
    this.server = server;
    this.endpoint ??= await this.listen(localAddress(server.address, this.parts.device));
    this.talkTo(this.endpoint, this.endpoint.peer(server.address, server.port));
  }

  async rebind(): Promise<void> {
    const { isOpen, server } = this;
    await this.sleep();
    this.port = 0;
    if (isOpen && server) await this.open(server);
  }

  /** Reuses the previous port unless another process has it; the server then sees a new address. */
  private async listen(host: string): Promise<CoapUdpEndpoint> {
    return this.bind(host, this.port).catch(() => this.bind(host, 0));
  }

  private async bind(host: string, port: number): Promise<CoapUdpEndpoint> {
    const { events, timers, random } = this.parts;
    const endpoint = new CoapUdpEndpoint({
      host,
      port,
      timers,
      random,
      limits: endpointLimits,
      takesBlocks: isPackage,
      onRequest: events.onRequest,
      onObserverReset: ({ token }) => events.onObserverReset(token),
    });
    this.port = (await endpoint.listen()).port;
    return endpoint;
  }
}
