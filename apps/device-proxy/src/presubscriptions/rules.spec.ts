import { describe, expect, it } from '@jest/globals';
import type { AuditTrail } from '@lanyard/kafka';
import { newId } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import type { WakeUps } from '../sessions/wake-ups.js';
import type { PresubscriptionRule } from './rule.js';
import { Rules } from './rules.js';

describe('the rules of an account', () => {
  it('are read again when a key has written some, and are the same object while they are equal', async () => {
    const [accountId, keyId] = [newId(), newId()];
    const stored: { version: string; rules: PresubscriptionRule[] } = { version: '1', rules: [{}] };
    let reads = 0;
    const find = (): Promise<unknown> => {
      reads++;
      return Promise.resolve([{ keyId, rules: structuredClone(stored.rules) }]);
    };
    const database = { query: () => Promise.resolve([{ version: stored.version }]), manager: { find } };
    const wakeUps = { on: () => undefined };
    const clock = new TestClock();
    const rules = new Rules(
      database as unknown as DataSource,
      wakeUps as unknown as WakeUps,
      {} as unknown as AuditTrail,
      clock,
    );
    const later = async (): Promise<unknown> => {
      await clock.advance(10_000);
      return rules.ofAccount(accountId);
    };
    const first = await later();
    expect(first).toEqual([{ keyId, rules: [{}] }]);
    expect(await later()).toBe(first);
    expect(reads).toBe(1);
    stored.version = '2';
    expect(await later()).toBe(first);
    expect(await later()).toBe(first);
    expect(reads).toBe(2);
    Object.assign(stored, { version: '3', rules: [] });
    const changed = await later();
    expect(changed).toEqual([{ keyId, rules: [] }]);
    expect(reads).toBe(3);
    rules.renew(accountId);
    const renewed = await later();
    expect(renewed).not.toBe(changed);
    expect(await later()).toBe(renewed);
    Object.assign(stored, { version: '4', rules: [{}] });
    await clock.advance(-300_000);
    expect(await rules.ofAccount(accountId)).toEqual(first);
  });

  it('are replaced also when Redis does not take the message to the other replicas', async () => {
    const stored: unknown[] = [];
    const manager = {
      findOne: () => Promise.resolve(null),
      upsert: (_: unknown, row: unknown) => Promise.resolve(void stored.push(row)),
    };
    const database = { transaction: (work: (manager: object) => Promise<unknown>) => work(manager) };
    const wakeUps = { on: () => undefined, broadcast: () => Promise.reject(new Error('Connection is closed.')) };
    const rules = new Rules(
      database as unknown as DataSource,
      wakeUps as unknown as WakeUps,
      {} as unknown as AuditTrail,
      new TestClock(),
    );
    await rules.replace(newId(), newId(), [{}]);
    expect(stored).toMatchObject([{ rules: [{}] }]);
  });
});
