import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  DeviceLifecycle,
  type DeviceLifecycleChanged,
  type DeviceSessionChanged,
  DeviceSessions,
  fixtures,
  suspensionCategories,
} from '@lanyard/contracts';
import { BatchConsumer, KafkaConnection, KafkaProducer } from '@lanyard/kafka';
import { createLogger, identityHeader, newId, type RunningService, signIdentity } from '@lanyard/service';
import { engines, eventually, type Isolation, isolate } from '@lanyard/testing';
import { readConfig } from '../src/config.js';
import { start } from '../src/start.js';

const secret = 'i'.repeat(40);
const accountId = newId();

interface Reply {
  status: number;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a REST answer of any shape
  body: any;
}

describe('the registry', () => {
  let isolation: Isolation;
  let services: RunningService[];
  let kafka: KafkaConnection;
  let producer: KafkaProducer;
  let announcements: BatchConsumer<DeviceLifecycleChanged>;
  const announced: DeviceLifecycleChanged[] = [];

  const call = async (method: string, path: string, body?: unknown, account = accountId): Promise<Reply> => {
    const identity = {
      accountId: account,
      keyId: newId(),
      groups: [],
      permissions: [],
      tier: 'commercial' as const,
      requestId: 'r',
    };
    const response = await fetch((services[0] as RunningService).url + path, {
      method,
      headers: { [identityHeader]: signIdentity(identity, [secret], Date.now()) },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  const created = async (fields: object = {}): Promise<string> => {
    const { status, body } = await call('POST', '/v3/devices/', { endpoint_name: newId(), ...fields });
    expect(status).toBe(201);
    return body.id as string;
  };
  const changesOf = (deviceId: string): DeviceLifecycleChanged[] => announced.filter((a) => a.deviceId === deviceId);
  const session = (deviceId: string, more: Partial<DeviceSessionChanged> = {}): DeviceSessionChanged => ({
    ...(fixtures(DeviceSessions).valid['registered'] as DeviceSessionChanged),
    accountId,
    deviceId,
    ...more,
  });

  beforeAll(async () => {
    isolation = await isolate('registry');
    const config = (replica: string): ReturnType<typeof readConfig> =>
      readConfig({
        KAFKA_BROKERS: engines().brokers.join(','),
        KAFKA_TOPIC_PREFIX: isolation.topicPrefix,
        DATABASE_URL: isolation.databaseUrl,
        REDIS_URL: engines().redisUrl,
        IDENTITY_SECRETS: secret,
        ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
        LOG_LEVEL: 'error',
        REPLICA_ID: replica,
      });
    services = await Promise.all([start(config('registry-0')), start(config('registry-1'))]);
    const logger = createLogger({ app: 'test', replicaId: 'test', level: 'error' });
    kafka = new KafkaConnection({
      brokers: engines().brokers,
      topicPrefix: isolation.topicPrefix,
      clientId: 'test',
      logger,
    });
    producer = new KafkaProducer(kafka, { source: 'test' });
    await producer.connect();
    announcements = new BatchConsumer(kafka, {
      topic: DeviceLifecycle,
      group: 'test',
      onFatal: () => undefined,
      handler: async (batch) => void announced.push(...batch.messages.map((m) => m.value)),
    });
    await announcements.start();
  }, 60_000);

  afterAll(async () => {
    await announcements?.stop();
    await producer?.disconnect();
    await kafka?.close();
    await Promise.all((services ?? []).map((s) => s.stop()));
    await isolation?.drop();
  });

  describe('POST /v3/devices', () => {
    it('201 with the whole record, announced as created', async () => {
      const { status, body } = await call('POST', '/v3/devices', {
        name: 'Meter 7',
        endpoint_name: 'meter-7',
        endpoint_type: 'meter',
        custom_attributes: { site: 'north' },
      });
      expect(status).toBe(201);
      expect(body).toMatchObject({
        object: 'device',
        account_id: accountId,
        name: 'Meter 7',
        state: 'unenrolled',
        lifecycle_status: 'enabled',
        operator_suspended: false,
        mechanism: 'connector',
        custom_attributes: { site: 'north' },
        groups: [],
      });
      expect(body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      await eventually(() =>
        expect(changesOf(body.id)).toMatchObject([
          { change: 'created', endpointName: 'meter-7', endpointType: 'meter', revision: 1 },
        ]),
      );
    });

    it('400 naming each wrong field', async () => {
      const { status, body } = await call('POST', '/v3/devices', {
        name: 'x'.repeat(129),
        device_execution_mode: 2,
        custom_attributes: { '1a': 'x' },
      });
      expect(status).toBe(400);
      expect(body.type).toBe('validation_error');
      expect(body.fields.map((f: { name: string }) => f.name.split('.')[0]).sort()).toEqual([
        'custom_attributes',
        'device_execution_mode',
        'name',
      ]);
    });

    it('400 for a body that is not JSON', async () => {
      expect((await call('POST', '/v3/devices', '{')).body).toMatchObject({ code: 400, type: 'validation_error' });
    });

    it('409 for a taken endpoint name, only within the account', async () => {
      await call('POST', '/v3/devices', { endpoint_name: 'twice' });
      expect(await call('POST', '/v3/devices', { endpoint_name: 'twice' })).toMatchObject({
        status: 409,
        body: { type: 'duplicate', fields: [{ name: 'endpoint_name' }] },
      });
      expect((await call('POST', '/v3/devices', { endpoint_name: 'twice' }, newId())).status).toBe(201);
    });
  });

  describe('GET, PUT, DELETE /v3/devices/{id}', () => {
    it('200, with and without a trailing slash', async () => {
      const id = await created();
      expect((await call('GET', `/v3/devices/${id}`)).body.id).toBe(id);
      expect((await call('GET', `/v3/devices/${id}/`)).status).toBe(200);
    });

    it('404 for an unknown device, and for one of another account whatever the method', async () => {
      const id = await created();
      const stranger = newId();
      expect((await call('GET', `/v3/devices/${newId()}`)).status).toBe(404);
      expect((await call('GET', '/v3/devices/nonsense')).status).toBe(404);
      for (const [method, path, body] of [
        ['GET', `/v3/devices/${id}`],
        ['PUT', `/v3/devices/${id}`, { name: 'mine' }],
        ['DELETE', `/v3/devices/${id}`],
        ['POST', `/v3/devices/${id}/suspend`, { category: 'other' }],
        ['POST', `/v3/devices/${id}/resume`, { category: 'other' }],
      ] as const)
        expect((await call(method, path, body, stranger)).status).toBe(404);
      expect((await call('GET', `/v3/devices/${id}`)).body.name).toBeNull();
    });

    it('PUT changes what is given and nothing else', async () => {
      const id = await created({ name: 'before', description: 'kept' });
      const { status, body } = await call('PUT', `/v3/devices/${id}/`, {
        name: 'after',
        object: 'device',
        state: 'registered',
      });
      expect([status, body.name, body.description, body.state]).toEqual([200, 'after', 'kept', 'unenrolled']);
      expect(body.etag > (body.created_at as string)).toBe(true);
      await eventually(() => expect(changesOf(id).map((c) => c.change)).toEqual(['created', 'changed']));
    });

    it('PUT 409 when the new endpoint name is taken', async () => {
      await created({ endpoint_name: 'held' });
      expect((await call('PUT', `/v3/devices/${await created()}`, { endpoint_name: 'held' })).status).toBe(409);
    });

    it('DELETE 204, then 404; announced as deleted', async () => {
      const id = await created();
      expect((await call('DELETE', `/v3/devices/${id}`)).status).toBe(204);
      expect((await call('DELETE', `/v3/devices/${id}`)).status).toBe(404);
      await eventually(() => expect(changesOf(id).map((c) => c.change)).toEqual(['created', 'deleted']));
    });
  });

  describe('GET /v3/devices', () => {
    const account = newId();
    const ids: string[] = [];
    const list = async (query: string): Promise<string[]> =>
      (await call('GET', `/v3/devices?${query}`, undefined, account)).body.data.map((d: { name: string }) => d.name);

    beforeAll(async () => {
      for (const [name, site] of [
        ['a', 'north'],
        ['b', 'south'],
        ['c', 'north'],
        ['d', undefined],
      ] as const) {
        const { body } = await call(
          'POST',
          '/v3/devices',
          { name, endpoint_name: `list-${name}`, custom_attributes: site ? { site } : {} },
          account,
        );
        ids.push(body.id);
      }
      await call('POST', `/v3/devices/${ids[1]}/suspend`, { category: 'recalled' }, account);
    });

    it.each([
      ['', ['a', 'b', 'c', 'd']],
      ['order=DESC', ['d', 'c', 'b', 'a']],
      ['name=b', ['b']],
      ['name__neq=b', ['a', 'c', 'd']],
      ['name__in=a,c', ['a', 'c']],
      ['name__nin=a,c', ['b', 'd']],
      ['lifecycle_status__eq=blocked', ['b']],
      ['operator_suspended=true', ['b']],
      ['operator_suspended__neq=true', ['a', 'c', 'd']],
      ['last_operator_suspended_category=recalled', ['b']],
      ['custom_attributes__site=north', ['a', 'c']],
      ['custom_attributes__site__neq=north', ['b', 'd']],
      ['custom_attributes__site__in=north,south', ['a', 'b', 'c']],
      ['created_at__lte=20200101T000000Z', []],
      ['created_at__gte=2020-01-01T00:00:00Z', ['a', 'b', 'c', 'd']],
      [`filter=${encodeURIComponent('custom_attributes__site=north&name__neq=a')}`, ['c']],
      [`name__neq=c&filter=${encodeURIComponent('custom_attributes__site=north')}`, ['a']],
      ['device_execution_mode__gte=1', ['a', 'b', 'c', 'd']],
      ["name=a'%3B--", []],
    ])('?%s', async (query, names) => {
      expect(await list(query)).toEqual(names);
    });

    it('total count when asked for', async () => {
      expect((await call('GET', '/v3/devices?limit=2&include=total_count', undefined, account)).body).toMatchObject({
        object: 'list',
        limit: 2,
        after: null,
        order: 'ASC',
        has_more: true,
        total_count: 4,
      });
    });

    it('400 for an unknown filter, 404 for an unknown page', async () => {
      expect((await call('GET', '/v3/devices?colour=red', undefined, account)).body.fields).toEqual([
        { name: 'colour', message: expect.any(String) },
      ]);
      expect((await call('GET', `/v3/devices?after=${newId()}`, undefined, account)).status).toBe(404);
    });

    it('walking the pages while devices are created and deleted shows every old one once', async () => {
      const walker = newId();
      const old: string[] = [];
      for (let n = 0; n < 11; n++) old.push((await call('POST', '/v3/devices', { name: `${n}` }, walker)).body.id);
      const seen: string[] = [];
      for (let after = '', more = true; more;) {
        const { body } = await call('GET', `/v3/devices?limit=3${after}`, undefined, walker);
        seen.push(...body.data.map((d: { id: string }) => d.id));
        after = `&after=${body.data.at(-1).id}`;
        more = body.has_more && seen.length < 30;
        if (seen.length < 12) await call('POST', '/v3/devices', { name: 'new' }, walker);
      }
      expect(new Set(seen).size).toBe(seen.length);
      expect(old.every((id) => seen.includes(id))).toBe(true);
    });
  });

  describe('suspend and resume', () => {
    it.each(suspensionCategories.map((c) => [c]))('204 for %s: blocked, announced, resumed', async (category) => {
      const id = await created();
      expect((await call('POST', `/v3/devices/${id}/suspend`, { category, description: 'why' })).status).toBe(204);
      expect((await call('GET', `/v3/devices/${id}`)).body).toMatchObject({
        lifecycle_status: 'blocked',
        operator_suspended: true,
        system_suspended: false,
        last_operator_suspended_category: category,
        last_operator_suspended_description: 'why',
        last_operator_suspended_updated_at: expect.stringMatching(/Z$/),
        last_system_suspended_category: null,
      });
      expect((await call('POST', `/v3/devices/${id}/resume`, { category })).status).toBe(204);
      expect((await call('GET', `/v3/devices/${id}`)).body).toMatchObject({
        lifecycle_status: 'enabled',
        operator_suspended: false,
      });
      await eventually(() =>
        expect(changesOf(id)).toMatchObject([
          { change: 'created' },
          { change: 'suspended', lifecycleStatus: 'blocked', suspension: { by: 'operator', category } },
          { change: 'resumed', lifecycleStatus: 'enabled' },
        ]),
      );
      const revisions = changesOf(id).map((c) => c.revision);
      expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
    });

    it('twice: the newest category is kept; resuming an enabled device changes nothing', async () => {
      const id = await created();
      await call('POST', `/v3/devices/${id}/suspend`, { category: 'maintenance' });
      expect((await call('POST', `/v3/devices/${id}/suspend`, { category: 'recalled' })).status).toBe(204);
      expect((await call('GET', `/v3/devices/${id}`)).body.last_operator_suspended_category).toBe('recalled');
      await call('POST', `/v3/devices/${id}/resume`, { category: 'other' });
      expect((await call('POST', `/v3/devices/${id}/resume`, { category: 'other' })).status).toBe(204);
    });

    it.each([
      ['without a category', {}],
      ['with an unknown category', { category: 'bored' }],
      ['with a description that is too long', { category: 'other', description: 'x'.repeat(2001) }],
    ])('400 %s, naming the field', async (_, body) => {
      const id = await created();
      for (const verb of ['suspend', 'resume']) {
        const reply = await call('POST', `/v3/devices/${id}/${verb}`, body);
        expect([reply.status, reply.body.fields.length]).toEqual([400, 1]);
        expect(['category', 'description']).toContain(reply.body.fields[0].name);
      }
    });

    it('404 for an unknown device', async () => {
      expect((await call('POST', `/v3/devices/${newId()}/suspend`, { category: 'other' })).status).toBe(404);
    });

    it('updates are blocked meanwhile (spec §3.1), with an error that says so', async () => {
      const id = await created();
      await call('POST', `/v3/devices/${id}/suspend`, { category: 'other' });
      const { status, body } = await call('PUT', `/v3/devices/${id}`, { name: 'x' });
      expect([status, body.type]).toEqual([403, 'access_denied']);
      expect(body.message).toMatch(/resume/);
    });

    it('the categories are listed', async () => {
      const { body } = await call('GET', '/v3/device-block-categories/');
      expect(body.data.map((c: { reference: string }) => c.reference)).toEqual([...suspensionCategories]);
      expect((await call('GET', '/v3/device-block-categories?reference__in=other,recalled')).body.data).toHaveLength(2);
      expect((await call('GET', '/v3/device-block-categories/recalled')).body).toMatchObject({
        object: 'device-block-category',
        reference: 'recalled',
      });
      expect((await call('GET', '/v3/device-block-categories/bored')).status).toBe(404);
    });
  });

  describe('device groups', () => {
    it('201: custom attributes as top-level keys and nested, returned nested', async () => {
      const { status, body } = await call('POST', '/v3/device-groups/', {
        name: newId(),
        description: 'hall',
        site: 'a',
        custom_attributes: { _floor: '2' },
      });
      expect(status).toBe(201);
      expect(body).toMatchObject({
        object: 'device-group',
        description: 'hall',
        custom_attributes: { site: 'a', _floor: '2' },
        devices_count: 0,
      });
    });

    it('400 without a name and for a bad attribute, 409 for a taken name, 404 for an unknown group', async () => {
      expect((await call('POST', '/v3/device-groups', { description: 'x' })).body.fields[0].name).toBe('name');
      expect((await call('POST', '/v3/device-groups', { name: newId(), deep: { a: 1 } })).body.fields[0].name).toBe(
        'deep',
      );
      const name = newId();
      await call('POST', '/v3/device-groups', { name });
      expect((await call('POST', '/v3/device-groups', { name })).status).toBe(409);
      expect((await call('GET', `/v3/device-groups/${newId()}`)).status).toBe(404);
    });

    it('changes what is given; lists with filters; deletes', async () => {
      const { body: group } = await call('POST', '/v3/device-groups', { name: newId(), site: 'a' });
      const { body } = await call('PUT', `/v3/device-groups/${group.id}/`, { description: 'new' });
      expect(body).toMatchObject({ name: group.name, description: 'new', custom_attributes: { site: 'a' } });
      expect((await call('GET', `/v3/device-groups?name__eq=${group.name}&include=total_count`)).body).toMatchObject({
        total_count: 1,
        data: [{ id: group.id }],
      });
      expect((await call('DELETE', `/v3/device-groups/${group.id}/`)).status).toBe(204);
      expect((await call('DELETE', `/v3/device-groups/${group.id}/`)).status).toBe(404);
    });

    it('members: device_id or id, idempotent, listed with device filters, shown in the device', async () => {
      const { body: group } = await call('POST', '/v3/device-groups', { name: newId() });
      const [a, b] = [await created({ name: 'ga' }), await created({ name: 'gb' })];
      const members = `/v3/device-groups/${group.id}/devices`;
      for (const body of [{ device_id: a }, { id: a }, { id: b }])
        expect((await call('POST', `${members}/add/`, body)).status).toBe(204);
      expect((await call('GET', `/v3/device-groups/${group.id}`)).body.devices_count).toBe(2);
      expect((await call('GET', `${members}/?name=gb`)).body.data.map((d: { id: string }) => d.id)).toEqual([b]);
      expect((await call('GET', `/v3/devices/${a}`)).body.groups).toEqual([group.id]);
      expect((await call('POST', `${members}/remove/`, { device_id: a })).status).toBe(204);
      expect((await call('POST', `${members}/remove`, { id: a })).status).toBe(204);
      expect((await call('GET', members)).body.data).toHaveLength(1);
    });

    it('400 without a device, 404 for a device or group of another account', async () => {
      const { body: group } = await call('POST', '/v3/device-groups', { name: newId() });
      expect((await call('POST', `/v3/device-groups/${group.id}/devices/add`, {})).body.fields[0].name).toBe(
        'device_id',
      );
      const foreign = (await call('POST', '/v3/devices', {}, newId())).body.id;
      expect((await call('POST', `/v3/device-groups/${group.id}/devices/add`, { id: foreign })).status).toBe(404);
      expect(
        (await call('POST', `/v3/device-groups/${group.id}/devices/add`, { id: await created() }, newId())).status,
      ).toBe(404);
      expect((await call('GET', `/v3/device-groups/${group.id}/devices`, undefined, newId())).status).toBe(404);
    });
  });

  describe('device.sessions', () => {
    const state = async (id: string): Promise<string> => (await call('GET', `/v3/devices/${id}`)).body.state;

    it('state follows the sessions, never back to an older epoch', async () => {
      const id = await created();
      await producer.send(DeviceSessions, session(id, { epoch: 1 }));
      await eventually(async () => expect(await state(id)).toBe('registered'));
      await producer.send(DeviceSessions, session(id, { epoch: 2, change: 'deregistered', reason: 'device' }));
      await eventually(async () => expect(await state(id)).toBe('deregistered'));
      await producer.send(DeviceSessions, session(id, { epoch: 1, change: 'updated' }));
      await producer.send(
        DeviceSessions,
        session(id, { epoch: 3, change: 'bootstrapped', occurredAt: '2024-05-05T05:05:05Z' }),
      );
      await eventually(async () => expect(await state(id)).toBe('bootstrapped'));
      expect((await call('GET', `/v3/devices/${id}`)).body.bootstrapped_timestamp).toBe('2024-05-05T05:05:05.000000Z');
    });

    it('first contact creates the device with its id, once', async () => {
      const deviceId = newId();
      const fact = session(deviceId, { endpointName: `first-${deviceId}`, epoch: 1, firstContact: true });
      await producer.send(DeviceSessions, fact);
      await producer.send(DeviceSessions, fact);
      await eventually(async () =>
        expect((await call('GET', `/v3/devices/${deviceId}`)).body).toMatchObject({
          endpoint_name: fact.endpointName,
          state: 'registered',
        }),
      );
      await eventually(() => expect(changesOf(deviceId).map((c) => c.change)).toEqual(['created']));
    });

    it('first contact of an endpoint name that is taken: its id is announced as deleted', async () => {
      const endpointName = `taken-${newId()}`;
      const held = await created({ endpoint_name: endpointName });
      const minted = newId();
      await producer.send(DeviceSessions, session(minted, { endpointName, epoch: 1, firstContact: true }));
      await eventually(() => expect(changesOf(minted)).toMatchObject([{ change: 'deleted', endpointName }]));
      expect((await call('GET', `/v3/devices/${minted}`)).status).toBe(404);
      expect((await call('GET', `/v3/devices/${held}`)).status).toBe(200);
    });
  });

  it('401 without the gateway; its OpenAPI document names every operation', async () => {
    const url = (services[1] as RunningService).url;
    expect((await fetch(`${url}/v3/devices`)).status).toBe(401);
    const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, object> };
    expect(Object.values(paths).flatMap((p) => Object.keys(p))).toHaveLength(17);
  });
});
