import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from './logger.js';
import { Metrics } from './metrics.js';
import { openTelemetry } from './open-telemetry.js';
import { parseTraceParent } from './trace-parent.js';
import { Tracing, within } from './tracing.js';

interface Sent {
  resourceSpans: {
    resource: { attributes: unknown[] };
    scopeSpans: { spans: Record<string, unknown>[] }[];
  }[];
}

const logger = createLogger({ app: 'x', replicaId: 'x-0', level: 'silent' });
const given = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('traceparent', () => {
  it('is read, and anything else is not', () => {
    expect(parseTraceParent(given)).toEqual({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
      sampled: true,
    });
    expect(parseTraceParent(given.replace(/01$/, '00'))?.sampled).toBe(false);
    for (const text of [undefined, '', 'x', given.slice(1), `${given}-`, `00-${'0'.repeat(32)}-b7ad6b7169203331-01`])
      expect(parseTraceParent(text)).toBeUndefined();
  });
});

describe('tracing', () => {
  let receiver: Server;
  let endpoint: string;
  let status = 200;
  const requests: { path: string; body: Sent }[] = [];
  const metrics = new Metrics('x', 'x-0');
  const tracing = (sampleRatio: number): Tracing =>
    new Tracing(openTelemetry({ endpoint, service: 'x', replica: 'x-0', logger, metrics }), sampleRatio);
  const dropped = async (): Promise<number> =>
    Number(/^lanyard_tracing_spans_dropped_total\{.*\} (\d+)$/m.exec(await metrics.registry.metrics())?.[1]);
  const spans = (): Record<string, unknown>[] =>
    requests.flatMap(({ body }) => body.resourceSpans.flatMap((r) => r.scopeSpans.flatMap((s) => s.spans)));

  beforeEach(async () => {
    requests.length = 0;
    status = 200;
    receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        requests.push({ path: request.url ?? '', body: JSON.parse(Buffer.concat(chunks).toString()) as Sent });
        response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
      });
    });
    await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
    endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  });

  afterEach(() => {
    receiver.closeAllConnections();
    receiver.close();
  });

  it('is off without a recorder', () => {
    const off = new Tracing(undefined, 1);
    expect([off.isOn, off.root('a'), off.follow(given, 'b')]).toEqual([false, undefined, undefined]);
  });

  it('begins what is sampled, and follows what was sampled elsewhere', async () => {
    const never = tracing(0);
    expect(never.root('a')).toBeUndefined();
    expect(never.follow(given.replace(/01$/, '00'), 'b')).toBeUndefined();
    never
      .follow(given, 'c', { attributes: { n: 1, text: 't', flag: true, part: 0.5 }, startMs: 1_800_000_000_000 })
      ?.end();
    await never.stop();
    expect(requests[0]?.path).toBe('/v1/traces');
    expect(requests[0]?.body.resourceSpans[0]?.resource.attributes).toEqual([
      { key: 'service.name', value: { stringValue: 'x' } },
      { key: 'service.instance.id', value: { stringValue: 'x-0' } },
    ]);
    expect(spans()).toEqual([
      expect.objectContaining({
        traceId: '0af7651916cd43dd8448eb211c80319c',
        spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
        parentSpanId: 'b7ad6b7169203331',
        name: 'c',
        kind: 1,
        startTimeUnixNano: '1800000000000000000',
        endTimeUnixNano: expect.stringMatching(/^\d+$/),
        attributes: [
          { key: 'n', value: { intValue: 1 } },
          { key: 'text', value: { stringValue: 't' } },
          { key: 'flag', value: { boolValue: true } },
          { key: 'part', value: { doubleValue: 0.5 } },
        ],
      }),
    ]);
  });

  it('makes one trace of spans that follow each other', async () => {
    const on = tracing(1);
    const first = on.root('first');
    const second = on.follow(first?.traceParent, 'second');
    await expect(within(second, () => Promise.reject(new Error('gone wrong')))).rejects.toThrow('gone wrong');
    await within(first, () => Promise.resolve());
    await on.stop();
    const [failed, root] = spans();
    expect(failed).toMatchObject({ parentSpanId: root?.['spanId'], traceId: root?.['traceId'] });
    expect([failed?.['status'], root?.['status']]).toEqual([{ code: 2, message: 'gone wrong' }, { code: 0 }]);
  });

  it('counts what the receiver does not take', async () => {
    status = 400;
    const on = tracing(1);
    on.root('a')?.end();
    await on.stop();
    expect(await dropped()).toBe(1);
  });

  it('drops what the receiver cannot take in time, and counts it', async () => {
    const droppedBefore = await dropped();
    const on = tracing(1);
    for (let n = 0; n < 4_100; n++) on.root('a')?.end();
    await on.stop();
    expect([spans().length, (await dropped()) - droppedBefore]).toEqual([4_096, 4]);
  });

  it('adopts the trace id of a client, whose flag decides nothing', async () => {
    expect(tracing(0).adopt(given, 'a')).toBeUndefined();
    const always = tracing(1);
    for (const text of [given, given.replace(/01$/, '00')])
      expect(parseTraceParent(always.adopt(text, 'b')?.traceParent)?.traceId).toBe(parseTraceParent(given)?.traceId);
    await always.stop();
  });
});
