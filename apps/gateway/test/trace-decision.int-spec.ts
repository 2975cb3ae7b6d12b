import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestSystem } from './test-system.js';
import { type Seen, Upstream } from './upstream.js';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const traceId = '0af7651916cd43dd8448eb211c80319c';

describe('a client that says that its request is traced', () => {
  let services: Upstream;
  let receiver: Server;
  const gateways: TestSystem[] = [];

  beforeAll(async () => {
    services = await new Upstream().listen();
    receiver = createServer((request, response) => {
      request.resume();
      response.end('{}');
    });
    await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
  });
  afterAll(async () => {
    for (const gateway of gateways) await gateway.stop();
    await services?.stop();
    receiver?.closeAllConnections();
    receiver?.close();
  });

  /** What a service behind the gateway hears. */
  const traceParentsOf = async (variables: Record<string, string>, more: object = {}): Promise<unknown[]> => {
    const gateway = await TestSystem.corner('trace-decision');
    gateways.push(gateway);
    await gateway.start({ GATEWAY_REGISTRY_URLS: services.url, ...variables });
    const headers = { traceparent, tracestate: 'vendor=1', ...more };
    const { headers: got } = (await gateway.call('/v3/devices', { headers })).body as unknown as Seen;
    return [got['traceparent'], got['tracestate']];
  };
  const endpoint = (): string => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;

  it('decides nothing: a ratio of 0 traces none, whether tracing is on here or not', async () => {
    const on = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint(), OTEL_TRACES_SAMPLER_ARG: '0' };
    expect(await traceParentsOf(on)).toEqual([undefined, undefined]);
    expect(await traceParentsOf({})).toEqual([undefined, undefined]);
  });

  it('decides nothing with a content type that is no media type either', async () => {
    const on = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint(), OTEL_TRACES_SAMPLER_ARG: '0' };
    expect(await traceParentsOf(on, { 'content-type': 'json' })).toEqual([undefined, undefined]);
  });

  it('keeps its trace id when the ratio has it sampled', async () => {
    const [parent] = await traceParentsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint(), OTEL_TRACES_SAMPLER_ARG: '1' });
    expect(parent).toEqual(expect.stringMatching(`^00-${traceId}-(?!b7ad6b7169203331)[0-9a-f]{16}-01$`));
  });

  it('is followed where clients are trusted', async () => {
    const trusting = { GATEWAY_TRUST_TRACEPARENT: 'true', OTEL_TRACES_SAMPLER_ARG: '0' };
    const [parent] = await traceParentsOf({ ...trusting, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint() });
    expect(parent).toEqual(expect.stringContaining(traceId));
  });
});
