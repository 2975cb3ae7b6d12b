import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { formatApiKey, newSecret, parseApiKey, systemClock } from '@lanyard/service';
import { Gateway } from './harness.js';

let gateway: Gateway;
let aheadMs = 0;

beforeAll(async () => {
  const variables = { GATEWAY_ATTEMPT_RATE_BURST: '1000', GATEWAY_TRUSTED_PROXIES: '1' };
  gateway = await (
    await Gateway.corner('guessing')
  ).start(variables, {
    clock: { ...systemClock, now: () => Date.now() + aheadMs },
  });
});
afterAll(() => gateway?.stop());

/** A well-formed key with the right id and another secret. */
const guess = (key: string): string => {
  const { accountId, keyId } = parseApiKey(key) as { accountId: string; keyId: string };
  return formatApiKey({ accountId, keyId, secret: newSecret(accountId, keyId) });
};

const ask = (key: string, from: string): ReturnType<Gateway['call']> =>
  gateway.call('/v3/accounts/me', { key, headers: { 'x-forwarded-for': from } });

describe('guessing at the secret of a key', () => {
  it('429 after five wrong secrets of one source, for this key only; the owner elsewhere is not locked out', async () => {
    const [aim, other] = [await gateway.newKey(), await gateway.newKey()];
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) statuses.push((await ask(guess(aim.key), '192.0.2.1')).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401]);
    const refused = await ask(guess(aim.key), '192.0.2.1');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    // Two instances on one host, one of them with an old secret: the other is not locked out, however long that lasts.
    for (const [laterMs, status] of [
      [0, 429],
      [15_000, 401],
      [30_000, 401],
      [60_000, 401],
      [60_000, 401],
      // 16 s to wait.
      [6_000, 429],
      [6_000, 429],
    ] as const) {
      aheadMs += laterMs;
      expect((await ask(guess(aim.key), '192.0.2.1')).status).toBe(status);
      expect((await ask(aim.key, '192.0.2.1')).status).toBe(200);
    }
    expect((await ask(aim.key, '192.0.2.2')).status).toBe(200);
    expect((await ask(other.key, '192.0.2.1')).status).toBe(200);
  });
});
