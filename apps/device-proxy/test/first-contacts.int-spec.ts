import { newId, openDatabase } from '@lanyard/service';
import { isolate, type Isolation, TestClock } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { databaseOf } from '../src/database.js';
import { FirstContacts } from '../src/intake/first-contacts.js';

describe('first contacts at two replicas', () => {
  const accountId = newId();
  const known = { count: 0, has: () => false };
  let isolation: Isolation;
  let sources: DataSource[];
  let replicas: FirstContacts[];

  beforeAll(async () => {
    isolation = await isolate('contacts');
    const open = (replicaId: string): Promise<DataSource> =>
      openDatabase(
        databaseOf({ replicaId, secrets: { databaseUrl: isolation.databaseUrl } } as Parameters<typeof databaseOf>[0]),
      );
    // One after the other: the first one makes the tables.
    sources = [await open('dp-a'), await open('dp-b')];
    replicas = sources.map((source) => new FirstContacts(source, new TestClock(Date.now())));
  });
  afterAll(async () => {
    await Promise.all(sources.map((source) => source.destroy()));
    await isolation.drop();
  });

  const assign = (endpointName: string, devicesMax?: number): Promise<(string | undefined)[]> =>
    Promise.all(replicas.map((one) => one.assignId({ accountId, endpointName, known, devicesMax })));

  it('an endpoint has one id, also when many come to both at the same moment, and some twice', async () => {
    const names = Array.from({ length: 300 }, (_, n) => `meter-${n % 200}`);
    const ids = await Promise.all(names.map((name) => assign(name)));
    expect(ids.every(([a, b]) => a !== undefined && a === b)).toBe(true);
    expect(new Set(ids.flat()).size).toBe(200);
    expect(names.every((name, n) => names.indexOf(name) === n || ids[names.indexOf(name)]?.[0] === ids[n]?.[0])).toBe(
      true,
    );
    expect(await assign('meter-7')).toEqual(ids[7]);
  });

  it('who was met without a quota counts once there is one', async () => {
    const [first] = await assign('meter-7', 200);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(await assign('one-too-many', 200)).toEqual([undefined, undefined]);
  });

  it('those that the directory has decided on are not looked at again', async () => {
    const clock = new TestClock(Date.now());
    const contacts = new FirstContacts(sources[0] as DataSource, clock);
    let looks = 0;
    const everything = {
      count: 0,
      has: () => {
        looks++;
        return true;
      },
    };
    const account = newId();
    const contact = (endpointName: string): Promise<string | undefined> =>
      contacts.assignId({ accountId: account, endpointName, known: everything, devicesMax: 1_000 });
    await Promise.all(Array.from({ length: 200 }, (_, n) => contact(`meter-${n}`)));
    await clock.advance(600_000);
    await contact('first after a while');
    looks = 0;
    expect(await contact('second after a while')).toMatch(/^[0-9a-f]{32}$/);
    expect(looks).toBe(1);
  });
});
