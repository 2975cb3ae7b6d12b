import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningService } from '@lanyard/service';
import { CallbackReceiver, eventsOf, eventually, parseMessage } from '@lanyard/testing';
import { Sweeper } from '../src/channels/sweeper.js';
import { Keys } from '../src/queue/keys.js';
import { type Customer, payloads, TestSystem } from './test-system.js';

const withoutPollMs = 600_000;
const hourMs = 3_600_000;

describe('a dispatcher that was away for longer than a channel may be', () => {
  let system: TestSystem;

  beforeAll(async () => {
    system = await TestSystem.create('absent-service');
  });

  afterAll(() => system?.drop());

  /** The replica after an absence of this length, which found that the channel has met a rule, and looks at it again later. */
  const comeBack = async (before: RunningService, { keyId }: Customer, awayMs: number): Promise<RunningService> => {
    await before.stop();
    system.clock.jump(awayMs + 1_000);
    const after = await system.startReplica();
    const { expiry } = new Keys(system.isolation.redisPrefix, 4).ofChannel(keyId);
    await eventually(async () =>
      expect(Number(await system.redis.zscore(expiry, keyId))).toBeGreaterThan(system.clock.now()),
    );
    await after.app.get(Sweeper).stop();
    return after;
  };

  it('without a poll keeps the channel and its events until its client can poll again', async () => {
    const before = await system.startReplica();
    const customer = await system.customer();
    await system.call(before, customer, 'GET', 'pull?noWait=true');
    await system.value(customer, 'kept');
    await eventually(async () =>
      expect((await system.call(before, customer, 'PUT', 'pull')).body).toMatchObject({ queue_size: 1 }),
    );
    const after = await comeBack(before, customer, withoutPollMs);
    const { status, text } = await system.call(after, customer, 'GET', 'pull?noWait=true');
    expect(status).toBe(200);
    expect(payloads(eventsOf([parseMessage(text)], 'notifications'))).toEqual(['kept']);
    await after.stop();
  });

  it.each([
    ['without events', 204, 48 * hourMs],
    ['failing', 503, 24 * hourMs],
  ] as const)('%s keeps the callback until it can be called again', async (_, answer, awayMs) => {
    const receiver = await new CallbackReceiver().start();
    try {
      const before = await system.startReplica();
      const customer = await system.customer();
      await system.call(before, customer, 'PUT', 'callback', { url: receiver.url });
      receiver.answer(answer);
      await system.value(customer, 'before');
      await eventually(() => expect(receiver.deliveries).not.toHaveLength(0));
      const hasFailed = async (): Promise<boolean> => {
        const { body } = await system.call(before, customer, 'GET', 'callback');
        return (body as { failures: number }).failures > 0;
      };
      if (answer === 503) await eventually(hasFailed);
      const after = await comeBack(before, customer, awayMs);
      expect((await system.call(after, customer, 'GET', 'callback')).status).toBe(200);
      await after.stop();
    } finally {
      await receiver.stop();
    }
  });
});
