import { afterEach, describe, expect, it } from '@jest/globals';
import { type CoapDatagramEndpointOptions, CoapDatagramEndpoint, Code, peerOf } from '../src/index.js';
import { LossyTransport } from './lossy-transport.js';
import { bytesOf, WatchedSource } from './sources.js';

const open: CoapDatagramEndpoint[] = [];
afterEach(() => Promise.all(open.splice(0).map((endpoint) => endpoint.close())));

const endpoint = async (seed: number, onRequest: CoapDatagramEndpointOptions['onRequest']) => {
  const transport = new LossyTransport(seed);
  const one = new CoapDatagramEndpoint({
    transport,
    ackTimeoutMs: 100,
    limits: { closeTimeoutMs: 0 },
    onRequest,
  });
  open.push(one);
  return { endpoint: one, transport, port: (await one.listen()).port };
};

/** Each datagram is lost, repeated or overtaken with a fixed chance. */
describe('a source over a line that loses, repeats and reorders datagrams', () => {
  const body = bytesOf(40_000);
  const expectTrouble = ({ transport: { lost, repeated, delayed } }: { transport: LossyTransport }): void =>
    expect(Math.min(lost, repeated, delayed)).toBeGreaterThan(0);

  it('arrives unchanged as a request, once', async () => {
    const payloads: Buffer[] = [];
    const receiver = await endpoint(1, async ({ payload }) => {
      payloads.push(payload);
      return { code: Code.Changed };
    });
    const sender = await endpoint(2, async () => ({ code: Code.NotFound }));
    const source = new WatchedSource(body);
    const request = { method: Code.PUT, path: ['5', '0', '0'], source, maxRetransmit: 8 };
    expect((await sender.endpoint.request(peerOf('127.0.0.1', receiver.port), request)).code).toBe(Code.Changed);
    expect(payloads.map((payload) => payload.equals(body))).toEqual([true]);
    [receiver, sender].forEach(expectTrouble);
  });

  it('arrives unchanged as an answer', async () => {
    const source = new WatchedSource(body);
    const server = await endpoint(3, async () => ({ code: Code.Content, etag: Buffer.from('v1'), source }));
    const device = await endpoint(4, async () => ({ code: Code.NotFound }));
    const request = { method: Code.GET, path: ['downloads', 'x'], maxRetransmit: 8 };
    const response = await device.endpoint.request(peerOf('127.0.0.1', server.port), request);
    expect(response.payload.equals(body)).toBe(true);
    [server, device].forEach(expectTrouble);
  });
});
