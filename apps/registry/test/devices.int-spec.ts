import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { changeable } from '../src/devices/device-fields.js';
import { Device } from '../src/devices/device-record.js';

import { accountId, testSystem } from './test-system.js';

describe('the device directory', () => {
  const { audited, call, created, changesOf, replica } = testSystem('devices');

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
      expect(Object.keys(body).toSorted()).toEqual(Object.keys(Device.shape).toSorted());
      expect(body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      await eventually(() =>
        expect(changesOf(body.id)).toMatchObject([
          { change: 'created', endpointName: 'meter-7', endpointType: 'meter', revision: 1 },
        ]),
      );
    });

    it('announces how the radio of a device is used, and that it is as usual again', async () => {
      const radio = { coap_ack_timeout_ms: 9_000, coap_block_bytes: 64, dtls_handshake_timer_ms: 8_000 };
      const { status, body } = await call('POST', '/v3/devices', { endpoint_name: 'radio-1', ...radio });
      expect([status, body]).toEqual([201, expect.objectContaining(radio)]);
      const usual = { coap_ack_timeout_ms: null, coap_block_bytes: null, dtls_handshake_timer_ms: null };
      expect((await call('PUT', `/v3/devices/${body.id}`, usual)).body).toMatchObject(usual);
      await eventually(() => expect(changesOf(body.id)).toHaveLength(2));
      const [created, changed] = changesOf(body.id);
      expect(created).toMatchObject({ ackTimeoutMs: 9_000, blockBytes: 64, handshakeTimerMs: 8_000 });
      for (const field of ['ackTimeoutMs', 'blockBytes', 'handshakeTimerMs']) expect(changed).not.toHaveProperty(field);
      for (const wrong of [
        { coap_ack_timeout_ms: 999 },
        { coap_ack_timeout_ms: 60_001 },
        { coap_block_bytes: 65 },
        { dtls_handshake_timer_ms: 999 },
        { dtls_handshake_timer_ms: 60_001 },
      ]) {
        const refused = await call('PUT', `/v3/devices/${body.id}`, wrong);
        expect([refused.status, refused.body.fields[0].name]).toEqual([400, Object.keys(wrong)[0]]);
      }
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

    it('409 for a taken endpoint name, also when two are created at once, only within the account', async () => {
      const create = (account?: string): ReturnType<typeof call> =>
        call('POST', '/v3/devices', { endpoint_name: 'twice' }, account);
      const replies = await Promise.all([create(), create()]);
      expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409]);
      expect(await create()).toMatchObject({
        status: 409,
        body: { type: 'duplicate', fields: [{ name: 'endpoint_name' }] },
      });
      expect((await create(newId())).status).toBe(201);
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
        state: 'unenrolled',
      });
      expect([status, body.name, body.description, body.state]).toEqual([200, 'after', 'kept', 'unenrolled']);
      expect(body.etag > (body.created_at as string)).toBe(true);
      await eventually(() => expect(changesOf(id).map((c) => c.change)).toEqual(['created', 'changed']));
    });

    it('PUT: null clears each field that can be changed', async () => {
      const given = {
        auto_update: true,
        ca_id: 'a',
        coap_ack_timeout_ms: 9_000,
        coap_block_bytes: 64,
        custom_attributes: { site: 'north' },
        description: 'b',
        device_key: 'c',
        dtls_handshake_timer_ms: 8_000,
        endpoint_name: 'cleared',
        endpoint_type: 'd',
        host_gateway: 'e',
        name: 'f',
      };
      expect(Object.keys(given)).toEqual(Object.keys(changeable));
      const path = `/v3/devices/${await created(given)}`;
      const cleared = Object.fromEntries(Object.keys(given).map((name) => [name, null]));
      const { status, body } = await call('PUT', path, cleared);
      const shown = { ...cleared, custom_attributes: {}, description: '' };
      expect([status, body]).toEqual([200, expect.objectContaining(shown)]);
    });

    it('PUT is told to the event log with its actor and the names of the fields that differ, not their values', async () => {
      const id = await created({ endpoint_name: 'told', ca_id: 'before', custom_attributes: { site: 'a', hall: 'b' } });
      const change = (body: object): Promise<unknown> => call('PUT', `/v3/devices/${id}`, body);
      await change({ endpoint_name: 'told-again', ca_id: 'hidden-1', device_key: 'hidden-2', name: null });
      await change({ endpoint_name: 'told-again', custom_attributes: { hall: 'b', site: 'a' } });
      await change({ custom_attributes: { hall: 'hidden-3' }, auto_update: true });
      await eventually(() => {
        const facts = audited().filter((fact) => fact.deviceId === id);
        expect(facts).toMatchObject([
          { eventCode: 'SYS_570', description: 'Device changed: told-again' },
          { eventCode: 'SYS_570', data: { fields: 'auto_update,custom_attributes' } },
        ]);
        expect(facts[0]).toMatchObject({
          accountId,
          data: {
            fields: 'ca_id,device_key,endpoint_name',
            target: 'device',
            target_id: id,
            actor_key_id: expect.stringMatching(/^[0-9a-f]{32}$/),
            actor_account_id: accountId,
            request_id: 'r',
          },
        });
        expect(JSON.stringify(facts)).not.toContain('hidden');
      });
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
      // By the clock of PostgreSQL, which dates all changes, to the microsecond.
      const [first, last] = changesOf(id).map(({ changedAt }) => changedAt) as [string, string];
      expect(last).toMatch(/\.\d{6}Z$/);
      expect(last > first).toBe(true);
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
      ['filter=custom_attributes__site%3Dnorth&filter=name__neq%3Da', ['c']],
      ['device_execution_mode__gte=1', ['a', 'b', 'c', 'd']],
      ["name=a'%3B--", []],
    ])('?%s', async (query, names) => {
      expect(await list(query)).toEqual(names);
    });

    it.each(['bootstrap_expiration_date', 'connector_expiration_date'])('%s is a filter', async (field) => {
      const own = newId();
      for (const day of ['2030-01-01', '2030-01-02', null])
        await call('POST', '/v3/devices', { name: day ?? 'none', [field]: day }, own);
      const found = async (filter: string): Promise<unknown[]> => {
        const { body } = await call('GET', `/v3/devices?${field}${filter}`, undefined, own);
        return body.data.map(({ name }) => name).toSorted();
      };
      expect(await found('=2030-01-01')).toEqual(['2030-01-01']);
      expect(await found('__lte=2030-01-01')).toEqual(['2030-01-01']);
      expect(await found('__gte=20300102T000000Z')).toEqual(['2030-01-02']);
      expect(await found('__in=2030-01-02,2030-01-03')).toEqual(['2030-01-02']);
      expect(await found('__nin=2030-01-01')).toEqual(['2030-01-02', 'none']);
    });

    it('the time of the last suspension is a filter', async () => {
      const field = 'last_operator_suspended_updated_at';
      const { body } = await call('GET', `/v3/devices/${ids[1]}`, undefined, account);
      const at = String(body[field]);
      for (const operator of ['', '__in', '__lte', '__gte'])
        expect([operator, await list(`${field}${operator}=${at}`)]).toEqual([operator, ['b']]);
      expect(await list(`${field}__nin=${at}`)).toEqual(['a', 'c', 'd']);
    });

    it('times count to the microsecond: a device is found by the very time in its record', async () => {
      const own = newId();
      const { created_at: at } = (await call('POST', '/v3/devices', { name: 'timed' }, own)).body;
      const found = async (filter: string): Promise<number> =>
        (await call('GET', `/v3/devices?${filter}=${String(at)}`, undefined, own)).body.data.length;
      for (const filter of ['created_at', 'created_at__in', 'created_at__lte', 'created_at__gte'])
        expect([filter, await found(filter)]).toEqual([filter, 1]);
      expect(await found('created_at__nin')).toBe(0);
      expect((await call('GET', '/v3/devices?created_at__gte=0000-01-01', undefined, own)).status).toBe(400);
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

    it('a later page names its cursor, and no total unless it is asked for', async () => {
      const { body } = await call('GET', `/v3/devices?limit=2&order=DESC&after=${ids[1]}`, undefined, account);
      expect(body).toEqual({
        object: 'list',
        data: [expect.objectContaining({ id: ids[0] })],
        limit: 2,
        after: ids[1],
        order: 'DESC',
        has_more: false,
      });
    });

    it.each([
      ['', 50],
      ['limit=', 50],
      ['limit=2', 2],
      ['limit=1', 2],
      ['limit=-1', 2],
      ['limit=1000', 1_000],
      ['limit=1001', 1_000],
    ])('?%s: pages of %i', async (query, limit) => {
      const { status, body } = await call('GET', `/v3/devices?${query}`, undefined, account);
      expect([status, body['limit']]).toEqual([200, limit]);
    });

    it('400 naming a limit and an order that are none', async () => {
      const { status, body } = await call('GET', '/v3/devices?limit=2.5&order=UP', undefined, account);
      expect([status, body.fields.map(({ name }) => name)]).toEqual([400, ['limit', 'order']]);
    });

    it('400 for a NUL in a packed filter', async () => {
      const { status, body } = await call('GET', '/v3/devices?filter=name%3D%2500', undefined, account);
      expect([status, body.fields[0].name]).toEqual([400, 'name']);
    });

    it('400 for an unknown filter, 404 for a page behind what is no id', async () => {
      expect((await call('GET', '/v3/devices?colour=red', undefined, account)).body.fields).toEqual([
        { name: 'colour', message: expect.any(String) },
      ]);
      expect((await call('GET', `/v3/devices?after=${newId()}0`, undefined, account)).status).toBe(404);
    });

    it('walking the pages while devices are created and deleted shows every old one once', async () => {
      const walker = newId();
      const old: string[] = [];
      for (let n = 0; n < 11; n++) old.push((await call('POST', '/v3/devices', { name: `${n}` }, walker)).body.id);
      const seen: string[] = [];
      for (let after = '', more = true; more;) {
        const { body } = await call('GET', `/v3/devices?limit=3${after}`, undefined, walker);
        seen.push(...body.data.map((d: { id: string }) => d.id));
        after = `&after=${body.data.at(-1)?.id}`;
        more = body.has_more && seen.length < 30;
        if (seen.length < 12) await call('POST', '/v3/devices', { name: 'new' }, walker);
      }
      expect(new Set(seen).size).toBe(seen.length);
      expect(old.every((id) => seen.includes(id))).toBe(true);
    });
  });

  it('401 without the gateway; its OpenAPI document names every operation', async () => {
    const url = replica(1).url;
    expect((await fetch(`${url}/v3/devices`)).status).toBe(401);
    const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, object> };
    expect(Object.values(paths).flatMap((p) => Object.keys(p))).toHaveLength(45);
  });
});
