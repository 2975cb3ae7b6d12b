import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  CLOCK,
  formatApiKey,
  newId,
  newSecret,
  REDIS,
  redisClient,
  type RunningService,
  startService,
  systemClock,
} from '@lanyard/service';
import { infrastructure, withProviders } from '@lanyard/testing';
import { definition } from '../src/app.module.js';
import { SharedRates } from '../src/limits/shared-rates.js';
import { TestSystem } from './test-system.js';

let gateway: TestSystem;

beforeAll(async () => {
  gateway = await (await TestSystem.corner('authentication')).start({ GATEWAY_UNAUTHENTICATED_RATE_BURST: '1000' });
});
afterAll(() => gateway?.stop());

const stranger = (): string => {
  const keyId = newId();
  return formatApiKey({ accountId: gateway.accountId, keyId, secret: newSecret(gateway.accountId, keyId) });
};

describe('the credential', () => {
  it.each(['Bearer', 'bearer', 'BEARER'])('takes the scheme spelt %s', async (scheme) => {
    const headers = { authorization: `${scheme} ${gateway.adminKey}` };
    expect((await gateway.call('/v3/accounts/me', { key: null, headers })).status).toBe(200);
  });

  it('401 for none, garbage, another scheme, an unknown id and a wrong secret: the same answer', async () => {
    const wrong = gateway.adminKey.slice(0, 68);
    const authorizations = [
      {},
      { authorization: 'Bearer garbage' },
      { authorization: `Basic ${gateway.adminKey}` },
      { authorization: `Bearer ${stranger()}` },
      { authorization: `Bearer ${wrong}${newSecret(wrong.slice(4, 36), wrong.slice(36))}` },
    ];
    const answers = [];
    for (const headers of authorizations) {
      const { status, body } = await gateway.call('/v3/accounts/me', {
        key: null,
        headers: headers as Record<string, string>,
      });
      answers.push({ status, ...body, request_id: '' });
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 401, object: 'error', code: 401, type: 'invalid_apikey' });
  });

  it('401 in the form of v2 on v2 paths', async () => {
    const { status, text, headers } = await gateway.call('/v2/endpoints', { key: null });
    expect([status, text]).toEqual([401, 'UNAUTHORIZED']);
    expect(headers.get('content-type')).toContain('text/plain');
    const json = await gateway.call('/v2/endpoints', { key: null, headers: { accept: 'application/json' } });
    expect(json.body).toMatchObject({ object: 'error', type: 'invalid_apikey' });
  });

  it('is not taken from the URL', async () => {
    for (const name of ['api_key', 'access_token', 'key', 'authorization'])
      expect((await gateway.call(`/v3/accounts/me?${name}=${gateway.adminKey}`, { key: null })).status).toBe(401);
  });

  it('is refused everywhere within five seconds of its deletion', async () => {
    let aheadMs = 0;
    const other: RunningService = await startService(
      definition,
      gateway.config(),
      withProviders([CLOCK, { ...systemClock, now: () => Date.now() + aheadMs }]),
    );
    try {
      const { id, key } = await gateway.newKey();
      const onOther = (): Promise<Response> =>
        fetch(`${other.url}/v3/accounts/me`, { headers: { authorization: `Bearer ${key}` } });
      expect((await onOther()).status).toBe(200);
      await gateway.call(`/v3/api-keys/${id}`, { method: 'DELETE' });
      aheadMs = 5_000;
      expect((await onOther()).status).toBe(401);
    } finally {
      await other.stop();
    }
  });
});

describe('an address that guesses', () => {
  it('429 with Retry-After after its burst; known keys still pass, a deleted one does not', async () => {
    const startedMs = Date.now();
    let aheadMs = 0;
    const guarded = await startService(
      definition,
      gateway.config({ GATEWAY_UNAUTHENTICATED_RATE_BURST: '3', GATEWAY_UNAUTHENTICATED_RATE_PER_SECOND: '1' }),
      withProviders([CLOCK, { ...systemClock, now: () => startedMs + aheadMs }]),
    );
    const ask = (key: string): Promise<Response> =>
      fetch(`${guarded.url}/v3/accounts/me`, { headers: { authorization: `Bearer ${key}` } });
    try {
      const doomed = await gateway.newKey();
      expect((await ask(gateway.adminKey)).status).toBe(200);
      expect((await ask(doomed.key)).status).toBe(200);
      const statuses: number[] = [];
      for (let i = 0; i < 5; i++) statuses.push((await ask(stranger())).status);
      expect(statuses.slice(0, 3)).toEqual([401, 401, 401]);
      const refused = await ask(stranger());
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
      expect(await refused.json()).toMatchObject({ type: 'rate_limit_exceeded' });
      expect((await ask(gateway.adminKey)).status).toBe(200);
      for (const laterMs of [6_000, 60_000]) {
        aheadMs += laterMs;
        for (let i = 0; i < 5; i++) await ask(stranger());
        expect((await ask(stranger())).status).toBe(429);
        expect((await ask(gateway.adminKey)).status).toBe(200);
      }
      await gateway.call(`/v3/api-keys/${doomed.id}`, { method: 'DELETE' });
      expect([(await ask(doomed.key)).status, (await ask(doomed.key)).status]).toEqual([401, 429]);
    } finally {
      await guarded.stop();
    }
  });
});

describe('the rate of a key', () => {
  const flood = async (url: string, key: string, count: number): Promise<number[]> => {
    const replies = await Promise.all(
      Array.from({ length: count }, () =>
        fetch(`${url}/v3/accounts/me`, { headers: { authorization: `Bearer ${key}` } }),
      ),
    );
    const refused = replies.find((reply) => reply.status === 429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    return replies.map((reply) => reply.status);
  };

  it('429 beyond the burst, counted over replicas, and for this key only', async () => {
    const config = gateway.config({ GATEWAY_KEY_RATE_PER_SECOND: '1', GATEWAY_KEY_RATE_BURST: '10' });
    // A replica waits 250 ms for Redis, then counts alone: not here, where this process may stand still for longer.
    const replica = (): Promise<RunningService> => {
      const redis = redisClient(infrastructure().redisUrl, { retryStrategy: () => 100 });
      return startService(definition, config, withProviders([REDIS, redis]));
    };
    const [one, two] = [await replica(), await replica()];
    try {
      const [busy, quiet] = [await gateway.newKey(), await gateway.newKey()];
      const connected = async (): Promise<boolean> =>
        !(await (await fetch(`${one.url}/metrics`)).text()).includes('rate_limit_local_total{');
      expect(await connected()).toBe(true);
      const beganMs = performance.now();
      const statuses = [...(await flood(one.url, busy.key, 30)), ...(await flood(two.url, busy.key, 30))];
      const passed = statuses.filter((status) => status === 200).length;
      expect(passed).toBeGreaterThanOrEqual(10);
      // Redis counts by its own clock, and one more may pass in each second that a slow machine takes.
      expect(passed).toBeLessThan(15 + (performance.now() - beganMs) / 1_000);
      const reply = await fetch(`${two.url}/v3/accounts/me`, { headers: { authorization: `Bearer ${quiet.key}` } });
      expect(reply.status).toBe(200);
    } finally {
      await Promise.all([one.stop(), two.stop()]);
    }
  });

  it('waits for no time of Redis that is set back, as by a failover to a node whose clock is behind', async () => {
    const redis = redisClient(infrastructure().redisUrl, { retryStrategy: () => 100 });
    try {
      const rates = new SharedRates(redis, gateway.config());
      const rate = { perSecond: 10, burst: 10 };
      const [seconds] = await redis.time();
      const hourAhead = (Number(seconds) + 3_600) * 1_000_000;
      await redis.set(`${gateway.isolation.redisPrefix}rate:{account}:key`, String(hourAhead), 'PX', 3_600_000);
      const verdict = await rates.settleRates('account', [{ name: 'key', rate, passed: 0 }], true);
      expect(verdict).toEqual({ waitMs: 0, usedMs: [100] });
    } finally {
      redis.disconnect();
    }
  });

  it('without Redis each replica counts alone, and waits for no clock that is set back', async () => {
    const config = gateway.config({
      REDIS_URL: 'redis://127.0.0.1:9',
      GATEWAY_KEY_RATE_PER_SECOND: '1',
      GATEWAY_KEY_RATE_BURST: '5',
    });
    const startedMs = Date.now();
    let aheadMs = 0;
    const stopped = { ...systemClock, now: () => startedMs + aheadMs };
    const alone = await startService(definition, config, withProviders([CLOCK, stopped]));
    try {
      const { key } = await gateway.newKey();
      const passed = (await flood(alone.url, key, 12)).filter((status) => status === 200).length;
      expect(passed).toBeGreaterThanOrEqual(5);
      expect(passed).toBeLessThan(8);
      // The first one passes before Redis is asked.
      const page = await (await fetch(`${alone.url}/metrics`)).text();
      expect(page).toMatch(/lanyard_gateway_rate_limit_local_total\{.*\} 11/);
      const ask = (): Promise<Response> =>
        fetch(`${alone.url}/v3/accounts/me`, { headers: { authorization: `Bearer ${key}` } });
      aheadMs = -3_600_000;
      const refused = await ask();
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
      aheadMs += 1_000;
      expect((await ask()).status).toBe(200);
    } finally {
      await alone.stop();
    }
  });
});
