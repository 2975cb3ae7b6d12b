import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defaultStopTimeoutMs, type RunningService } from '@lanyard/service';
import { engines, eventually, TcpLine, WebSocketClient } from '@lanyard/testing';
import { Landscape, payloads } from './landscape.js';

describe.each(['refuses', 'never answers'] as const)('a dispatcher that stops while Redis %s', (fault) => {
  let line: TcpLine;
  let landscape: Landscape;
  let service: RunningService;

  beforeAll(async () => {
    line = await TcpLine.open(engines().redisUrl);
    landscape = await Landscape.create('stop');
    service = await landscape.startReplica('dispatcher-0', { REDIS_URL: line.url });
  });

  afterAll(async () => {
    await landscape?.drop();
    line?.close();
  });

  it('closes its sockets with 1012 at once, ends within its deadline, and leaves what waited to another replica', async () => {
    const customer = await landscape.customer();
    await landscape.call(service, customer, 'PUT', 'websocket', {});
    const client = await new WebSocketClient({ url: service.url, key: customer.key }).opened();
    await landscape.value(customer, 'before');
    await eventually(() => expect(client.events('notifications')).toHaveLength(1));
    if (fault === 'refuses') line.refuse();
    else line.swallow();
    // An event waits for Redis.
    await landscape.value(customer, 'during');
    const begun = performance.now();
    const stopped = service.stop();
    await eventually(() => expect(client.closed).toEqual({ code: 1012, reason: 'restart' }), { timeoutMs: 2_000 });
    await stopped;
    expect(performance.now() - begun).toBeLessThan(defaultStopTimeoutMs);
    const { url } = await landscape.startReplica('dispatcher-1');
    const next = await new WebSocketClient({ url, key: customer.key }).opened();
    await eventually(() => expect(payloads(next.events('notifications'))).toContain('during'), { timeoutMs: 15_000 });
  }, 60_000);
});
