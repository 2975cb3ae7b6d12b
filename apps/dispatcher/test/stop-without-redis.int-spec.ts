import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defaultStopTimeoutMs, type RunningService } from '@lanyard/service';
import { infrastructure, eventually, TcpLine, WebSocketClient } from '@lanyard/testing';
import { TestSystem, payloads } from './test-system.js';
import { timeUntil } from './time-until.js';

describe.each(['refuses', 'never answers'] as const)('a dispatcher that stops while Redis %s', (fault) => {
  let line: TcpLine;
  let system: TestSystem;
  let service: RunningService;

  beforeAll(async () => {
    line = await TcpLine.open(infrastructure().redisUrl);
    system = await TestSystem.create('stop');
    service = await system.startReplica('dispatcher-0', { REDIS_URL: line.url });
  });

  afterAll(async () => {
    await system?.drop();
    line?.close();
  });

  it('closes its sockets with 1012 at once, ends within its deadline, and leaves what waited to another replica', async () => {
    const customer = await system.customer();
    await system.call(service, customer, 'PUT', 'websocket', {});
    const client = await new WebSocketClient({ url: service.url, key: customer.key }).opened();
    await system.value(customer, 'before');
    await eventually(() => expect(client.events('notifications')).toHaveLength(1));
    if (fault === 'refuses') line.refuse();
    else line.swallow();
    // An event waits for Redis.
    await system.value(customer, 'during');
    const begun = performance.now();
    const stopped = service.stop();
    const closing = timeUntil(() => expect(client.closed).toEqual({ code: 1012, reason: 'restart' }));
    expect(await closing).toBeLessThan(2_000);
    await stopped;
    expect(performance.now() - begun).toBeLessThan(defaultStopTimeoutMs);
    const { url } = await system.startReplica('dispatcher-1');
    const next = await new WebSocketClient({ url, key: customer.key }).opened();
    await eventually(() => expect(payloads(next.events('notifications'))).toContain('during'));
  });
});
