import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AccessKeys,
  type AccessKeyChanged,
  DeviceEvents,
  type DeviceEventReported,
  fixtures,
} from '@lanyard/contracts';
import { fingerprintOf, hashSecret, newId } from '@lanyard/service';
import { eventually, patienceMs } from '@lanyard/testing';
import { AccessKeysReader } from '../src/tail/access-keys.reader.js';
import { TestSystem } from './test-system.js';
import { SseClient } from './sse-client.js';

const key = (accountId: string, keyId: string, changes: Partial<AccessKeyChanged> = {}): AccessKeyChanged => ({
  accountId,
  keyId,
  hash: hashSecret('first'),
  groups: [],
  permissions: ['devices'],
  tier: 'commercial',
  status: 'active',
  revision: 1,
  changedAt: new Date().toISOString(),
  ...changes,
});

describe('the log as a stream', () => {
  let log: TestSystem;
  const clients: SseClient[] = [];

  beforeAll(async () => {
    log = await TestSystem.start('event-stream');
  });
  afterAll(async () => {
    for (const client of clients) client.leave();
    await log?.stop();
  });

  const tell = async (accountId: string, count = 1, fields: Partial<DeviceEventReported> = {}): Promise<string[]> => {
    const facts = Array.from({ length: count }, () => ({
      ...(fixtures(DeviceEvents).valid['campaign result'] as DeviceEventReported),
      accountId,
      deviceId: newId(),
      eventId: newId(),
      occurredAt: new Date().toISOString(),
      ...fields,
    }));
    for (const fact of facts) await log.producer.send(DeviceEvents, fact);
    return facts.map(({ eventId }) => eventId);
  };

  /** Resolves when the log knows the key: the stream of a key that stays unknown ends after a few seconds. */
  const announce = async (accountId: string, keyId: string, changes?: Partial<AccessKeyChanged>): Promise<void> => {
    await log.producer.send(AccessKeys, key(accountId, keyId, changes));
    await log.service.app.get(AccessKeysReader).waitFor(keyId, patienceMs);
  };
  const announcedKey = async (accountId: string): Promise<string> => {
    const keyId = newId();
    await announce(accountId, keyId);
    return keyId;
  };

  interface Wish {
    query?: string;
    lastEventId?: string;
    /** Default: of a key that was announced. */
    keyId?: string;
    secret?: string;
    /** What the gateway limits the caller to. */
    deviceGroups?: string[];
  }
  const follow = async (accountId: string, wish: Wish = {}) => {
    const { query = '', lastEventId, keyId: wanted, secret, deviceGroups } = wish;
    const keyId = wanted ?? (await announcedKey(accountId));
    const identity = {
      ...{ accountId, keyId, ...(deviceGroups && { deviceGroups }) },
      ...(secret && { secretFingerprint: fingerprintOf(hashSecret(secret)) }),
    };
    const headers: Record<string, string> = lastEventId ? { 'last-event-id': lastEventId } : {};
    const client = await new SseClient().open((signal) =>
      log.call(`/v3/device-events/stream${query}`, identity, headers, signal),
    );
    clients.push(client);
    return client;
  };
  const stored = async (accountId: string): Promise<string[]> => {
    const answer = await log.call('/v3/device-events', { accountId });
    return ((await answer.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
  };

  it('brings what comes, of this account alone, whatever its date', async () => {
    const [mine, other] = [newId(), newId()];
    const keyId = newId();
    await announce(mine, keyId);
    const [before] = await tell(mine);
    await eventually(async () => (await stored(mine)).includes(String(before)));
    const client = await follow(mine, { keyId, secret: 'first' });
    await tell(other);
    const now = await tell(mine, 3);
    const late = await tell(mine, 1, { occurredAt: '2024-01-01T00:00:00Z' });
    await eventually(() => client.ids.length >= 4);
    expect(client.ids.toSorted()).toEqual([...now, ...late].toSorted());
    expect(client.messages[0]?.data).toMatchObject({ object: 'device-event', event_code: 'SYS_112' });
  });

  it('continues after the last entry that the client has, without a gap, in pages', async () => {
    const account = newId();
    const client = await follow(account);
    const [first] = await tell(account);
    await eventually(() => client.ids.length === 1);
    client.leave();
    const missed = await tell(account, 230);
    const again = await follow(account, { lastEventId: String(first) });
    await eventually(() => again.ids.length >= 230);
    expect(new Set(again.ids)).toEqual(new Set(missed));
    expect(again.ids).toHaveLength(230);
    const third = await follow(account, { query: `?after=${again.ids.at(-2)}` });
    await eventually(() => third.ids.length === 1);
    expect(third.ids).toEqual(again.ids.slice(-1));
  });

  it('continues after an entry that has aged out, with all younger ones', async () => {
    const account = newId();
    const aged = newId(Date.now() - 1_000);
    const [first] = await tell(account);
    // Of another device, whose partition is read at its own pace.
    await eventually(async () => (await stored(account)).length === 1);
    const [second] = await tell(account);
    const client = await follow(account, { lastEventId: aged });
    await eventually(() => client.ids.length === 2);
    expect(client.ids).toEqual([first, second]);
    const younger = await follow(account, { lastEventId: newId() });
    const [third] = await tell(account);
    await eventually(() => younger.ids.length === 1);
    expect(younger.ids).toEqual([third]);
  });

  it('gives the id to come back with before anything came, of an empty log too', async () => {
    const account = newId();
    // Its key is not announced yet.
    const first = await follow(account, { keyId: newId() });
    await eventually(() => first.lastEventId === '0');
    first.leave();
    const [missed] = await tell(account);
    const second = await follow(account, { lastEventId: '0' });
    await eventually(() => second.ids.length === 1);
    expect(second.ids).toEqual([missed]);
    // A client that cannot set headers names the place in the URL.
    const byUrl = await follow(account, { query: '?after=0' });
    await eventually(() => byUrl.ids.length === 1);
    expect(byUrl.ids).toEqual([missed]);
    const third = await follow(account);
    await eventually(() => third.lastEventId === missed);
    expect(third.ids).toEqual([]);
  });

  it('takes the filters of the list', async () => {
    const account = newId();
    const deviceId = newId();
    const client = await follow(account, { query: `?device_id=${deviceId}&event_code__in=SYS_112,SYS_111` });
    await tell(account);
    await tell(account, 1, { deviceId, eventCode: 'SYS_108' });
    const wanted = await tell(account, 1, { deviceId });
    await eventually(() => client.ids.length === 1);
    expect(client.ids).toEqual(wanted);
  });

  it('its OpenAPI document has the filters of the list', async () => {
    const document = (await (await fetch(`${log.service.url}/openapi.json`)).json()) as {
      paths: Record<string, { get: { parameters: { name: string; schema: unknown }[] } }>;
    };
    const filtersAt = (path: string): unknown[] =>
      (document.paths[path]?.get.parameters ?? []).filter(({ name }) => name.startsWith('filter'));
    expect(filtersAt('/v3/device-events/stream')).toEqual(filtersAt('/v3/device-events'));
    expect(filtersAt('/v3/device-events')).toHaveLength(2);
  });

  it.each<[string, Partial<AccessKeyChanged>]>([
    ['is deleted', { status: 'deleted' }],
    ['is switched off', { status: 'inactive' }],
    ['may not read any more', { permissions: ['notifications'] }],
    ['has another secret', { hash: hashSecret('second') }],
  ])('ends when the key %s', async (_, changes) => {
    const [account, keyId] = [newId(), newId()];
    await announce(account, keyId);
    const client = await follow(account, { keyId, secret: 'first' });
    const bystander = await follow(account);
    await announce(account, keyId, { ...changes, revision: 2 });
    await eventually(() => client.closed);
    expect(client.end).toBe('key_revoked');
    if (changes.status) await expect(follow(account, { keyId, secret: 'first' })).rejects.toThrow(/401/);
    const told = await tell(account);
    await eventually(() => expect(bystander.ids).toEqual(told));
  });

  it('ends when the key may read more groups, for a client that comes back', async () => {
    const [account, keyId, group] = [newId(), newId(), newId()];
    await announce(account, keyId, { deviceGroups: [group] });
    const client = await follow(account, { keyId, secret: 'first', deviceGroups: [group] });
    await announce(account, keyId, { deviceGroups: [group, newId()], revision: 2 });
    await eventually(() => client.closed);
    expect(client.end).toBe('restart');
  });

  it('400, 404 and 401 come as errors, before the stream', async () => {
    await expect(follow(newId(), { query: '?colour=red' })).rejects.toThrow(/400/);
    await expect(follow(newId(), { lastEventId: 'no-id' })).rejects.toThrow(/404/);
    expect((await fetch(`${log.service.url}/v3/device-events/stream`)).status).toBe(401);
  });

  it('the catalogue of codes', async () => {
    const reply = await log.call('/v3/device-event-codes', {});
    expect(await reply.json()).toMatchObject({ object: 'list', has_more: false });
    expect(await (await log.call('/v3/device-event-codes/SYS_106', {})).json()).toMatchObject({
      object: 'device-event-code',
      id: 'SYS_106',
      event_type: '106',
      description: 'Device registered',
      remedy: expect.any(String),
    });
    expect((await log.call('/v3/device-event-codes/SYS_999', {})).status).toBe(404);
  });

  it('the catalogue of codes takes filters and pages, and refuses what it does not know', async () => {
    interface Page {
      data: { id: string; source: string }[];
      has_more: boolean;
      total_count: number;
    }
    const list = async (query: string): Promise<Page> =>
      (await (await log.call(`/v3/device-event-codes?${query}`, {})).json()) as Page;
    const all = await list('');
    expect(all).toMatchObject({ has_more: false, total_count: all.data.length });
    const clients = await list('source__eq=client&event_type_description__neq=SUCCESS');
    expect(clients.data.length).toBeGreaterThan(0);
    expect(clients.data.every(({ source }) => source === 'client')).toBe(true);
    expect((await list('id__in=SYS_105,SYS_106')).data.map(({ id }) => id)).toEqual(['SYS_105', 'SYS_106']);
    expect((await list('event_type=106')).data.map(({ id }) => id)).toEqual(['SYS_106']);
    const first = await list('limit=2');
    expect([first.has_more, first.data]).toEqual([true, all.data.slice(0, 2)]);
    expect((await list(`limit=2&after=${first.data[1]?.id}`)).data).toEqual(all.data.slice(2, 4));
    expect((await list('order=DESC&limit=2')).data).toEqual(all.data.toReversed().slice(0, 2));
    for (const wrong of ['colour=red', 'source=moon', 'limit=x'])
      expect((await log.call(`/v3/device-event-codes?${wrong}`, {})).status).toBe(400);
    for (const after of ['nothing', 'SYS_999'])
      expect((await log.call(`/v3/device-event-codes?after=${after}`, {})).status).toBe(404);
    const successes = (await list('event_type_description=SUCCESS')).data;
    // A code between the two, which the filter excludes.
    expect((await list('event_type_description=SUCCESS&after=SYS_200')).data).toEqual(successes.slice(1));
  });
});
