import { expect, it } from '@jest/globals';
import { deriveKey, seal } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import type { GatewayConfig } from '../config.js';
import type { Session } from '../db/session.entity.js';
import { ProviderUnavailable } from '../errors.js';
import { type Renew, type Renewal, renewalPauseMs, Sessions } from './sessions.js';

const token = 'the token of the cookie';

it('a provider that does not answer is asked again after seconds, not by each request of the session', async () => {
  const clock = new TestClock();
  const refreshToken = seal(deriveKey(Buffer.from(token), 'refresh token'), 'a refresh token');
  const session = { id: 'session', refreshToken } as Session;
  const manager = { update: () => Promise.resolve({ affected: 1 }), findOneBy: () => Promise.resolve(session) };
  const sessions = new Sessions(
    { manager } as unknown as DataSource,
    { sessions: { idleMs: 3_600_000, maxMs: 43_200_000 } } as unknown as GatewayConfig,
    clock,
  );
  let asked = 0;
  let answers = false;
  const renew = async (): Promise<Renewal> => {
    asked++;
    if (!answers) throw new ProviderUnavailable();
    return { refreshToken: 'the next one', atMs: clock.now() + 3_600_000 };
  };
  const request = (): Promise<boolean> => sessions.renew(session, token, renew);
  for (let n = 0; n < 3; n++) await expect(request()).rejects.toThrow(ProviderUnavailable);
  expect(asked).toBe(1);
  await clock.advance(renewalPauseMs);
  await expect(request()).rejects.toThrow(ProviderUnavailable);
  expect(asked).toBe(2);
  answers = true;
  await clock.advance(renewalPauseMs);
  expect([await request(), await request(), asked]).toEqual([true, true, 4]);
});

it('continues with a refresh token that came before the renewal failed', async () => {
  const clock = new TestClock();
  const refreshToken = seal(deriveKey(Buffer.from(token), 'refresh token'), 'the first one');
  const session = { id: 'session', refreshToken } as Session;
  const update = (_entity: unknown, _id: unknown, change: Partial<Session>): Promise<{ affected: number }> => {
    Object.assign(session, change);
    return Promise.resolve({ affected: 1 });
  };
  const manager = { update, findOneBy: () => Promise.resolve(session) };
  const sessions = new Sessions(
    { manager } as unknown as DataSource,
    { sessions: { idleMs: 3_600_000, maxMs: 43_200_000 } } as unknown as GatewayConfig,
    clock,
  );
  const given: string[] = [];
  const renew: Renew = async (_session, current, keep) => {
    given.push(current);
    if (given.length > 1) return { refreshToken: current, atMs: clock.now() + 3_600_000 };
    await keep('the next one');
    throw new ProviderUnavailable();
  };
  await expect(sessions.renew(session, token, renew)).rejects.toThrow(ProviderUnavailable);
  await clock.advance(renewalPauseMs);
  expect(await sessions.renew(session, token, renew)).toBe(true);
  expect(given).toEqual(['the first one', 'the next one']);
});
