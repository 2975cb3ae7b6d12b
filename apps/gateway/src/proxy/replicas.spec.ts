import { describe, expect, it } from '@jest/globals';
import { TestClock } from '@lanyard/testing';
import type { GatewayConfig } from '../config.js';
import { upstreams } from '../upstreams.js';
import { UpstreamReplicas } from './replicas.js';

describe('a replica that could not be reached', () => {
  it.each([
    ['is tried last', 1_999, 'second'],
    ['is tried last for two seconds', 2_000, 'first'],
    ['is tried last no longer when the clock was set back', -3_600_000, 'first'],
  ])('%s', async (_, byMs, expected) => {
    const clock = new TestClock();
    const urls = Object.fromEntries(upstreams.map((upstream) => [upstream, ['http://first', 'http://second']]));
    const all = new UpstreamReplicas({ replicas: urls } as unknown as GatewayConfig, clock);
    const replicas = all.replicasOf('registry');
    replicas.order()[0]?.markUnreachable();
    // The turn of the second one, so that the next turn is again that of the first.
    replicas.order();
    clock.adjust(byMs);
    expect(replicas.order()[0]?.url.hostname).toBe(expected);
    await all.onApplicationShutdown();
  });
});
