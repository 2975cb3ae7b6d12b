import {
  type CoapRequest,
  type CoapResponse,
  CoapUdpEndpoint,
  type CoapUdpEndpointOptions,
  Code,
  type Peer,
} from '../src/index.js';
import { ManualClock } from './manual-clock.js';
import { RawPeer } from './raw-peer.js';

export type Options = Partial<CoapUdpEndpointOptions>;

/** An endpoint under test with its time in the hands of the test, and what it was asked. */
export interface Subject {
  endpoint: CoapUdpEndpoint;
  port: number;
  clock: ManualClock;
  asked: CoapRequest[];
}

/** Opens endpoints and bare sockets on the loopback, and closes them all at the end of a test. */
export class Loopback {
  private readonly open: { close(): Promise<void> }[] = [];

  async endpoint(options: Options = {}): Promise<Subject> {
    const clock = new ManualClock();
    const asked: CoapRequest[] = [];
    const answer = options.onRequest ?? (async (): Promise<CoapResponse> => ({ code: Code.Changed }));
    const endpoint = new CoapUdpEndpoint({
      host: '127.0.0.1',
      clock,
      random: () => 0,
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

  async raw(port: number, host?: string): Promise<RawPeer> {
    const peer = await RawPeer.open(port, host);
    this.open.push(peer);
    return peer;
  }

  async close(): Promise<void> {
    await Promise.all(this.open.splice(0).map((one) => one.close()));
  }
}

export const peerAt = ({ endpoint }: Subject, port: number): Peer => endpoint.peer('127.0.0.1', port);

/** For a machine ten times slower than a developer's. */
const PATIENCE_MS = 60_000;

/** Repeats until it holds: for what happens after a datagram that needs no answer. */
export const until = async (holds: () => boolean): Promise<void> => {
  const deadline = Date.now() + PATIENCE_MS;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`never: ${holds.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
};

/** A promise in the hands of the test. */
export const held = <T = void>() => {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
};
