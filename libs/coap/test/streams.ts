import {
  type CoapRequest,
  type CoapResponse,
  CoapStreamEndpoint,
  type CoapStreamEndpointOptions,
  Code,
} from '../src/index.js';
import { ManualClock } from './manual-clock.js';
import { RawStream } from './raw-stream.js';

export interface StreamSubject {
  endpoint: CoapStreamEndpoint;
  port: number;
  clock: ManualClock;
  asked: CoapRequest[];
}

/** Opens stream endpoints and bare connections on the loopback, and closes them all at the end of a test. */
export class StreamLoopback {
  private readonly open: { close(): Promise<void> }[] = [];

  async endpoint(options: Partial<CoapStreamEndpointOptions> = {}): Promise<StreamSubject> {
    const clock = new ManualClock();
    const asked: CoapRequest[] = [];
    const answer = options.onRequest ?? (async (): Promise<CoapResponse> => ({ code: Code.Changed }));
    const endpoint = new CoapStreamEndpoint({
      host: '127.0.0.1',
      clock,
      ...options,
      limits: { closeTimeoutMs: 0, ...options.limits },
      onRequest: (request) => {
        asked.push(request);
        return answer(request);
      },
    });
    const { port } = await endpoint.listen();
    this.open.push(endpoint);
    return { endpoint, port, clock, asked };
  }

  async raw(port: number): Promise<RawStream> {
    const stream = await RawStream.open(port);
    this.open.push(stream);
    return stream;
  }

  async ready(port: number, messageBytesMax?: number): Promise<RawStream> {
    const stream = await RawStream.ready(port, messageBytesMax);
    this.open.push(stream);
    return stream;
  }

  async close(): Promise<void> {
    await Promise.all(this.open.splice(0).map((one) => one.close()));
  }
}
