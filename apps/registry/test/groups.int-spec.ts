import { describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { Client } from 'pg';

import { accountId, type Body, testSystem } from './test-system.js';

describe('groups of devices', () => {
  const { announcedGroups, audited, call, configOf, created, groupsRevision, rows } = testSystem('groups');

  describe('device groups', () => {
    it('201: custom attributes as top-level keys and nested, returned nested, also when it is shown', async () => {
      const name = newId();
      const { status, body } = await call('POST', '/v3/device-groups/', {
        name,
        description: 'hall',
        site: 'a',
        custom_attributes: { _floor: '2' },
      });
      expect(status).toBe(201);
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      expect(body).toEqual({
        object: 'device-group',
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        name,
        description: 'hall',
        custom_attributes: { site: 'a', _floor: '2' },
        devices_count: 0,
        created_at: time,
        updated_at: time,
        etag: time,
      });
      for (const slash of ['', '/']) {
        const shown = await call('GET', `/v3/device-groups/${body.id}${slash}`);
        expect([shown.status, shown.body]).toEqual([200, body]);
      }
    });

    it('keeps custom attributes called constructor and prototype, and finds groups by them', async () => {
      const account = newId();
      const given = { name: newId(), prototype: 'v2', custom_attributes: { constructor: 'ACME' } };
      const { status, body } = await call('POST', '/v3/device-groups', given, account);
      const kept = { prototype: 'v2', constructor: 'ACME' };
      expect([status, body['custom_attributes']]).toEqual([201, kept]);
      const changed = await call('PUT', `/v3/device-groups/${body.id}`, { custom_attributes: kept }, account);
      expect([changed.status, changed.body['custom_attributes']]).toEqual([200, kept]);
      const found = await call('GET', '/v3/device-groups?custom_attributes__constructor=ACME', undefined, account);
      expect(found.body.data).toHaveLength(1);
    });

    it('every change is told to the event log once, with its actor', async () => {
      const device = await created();
      const { id } = (await call('POST', '/v3/device-groups', { name: newId() })).body;
      await call('PUT', `/v3/device-groups/${id}`, { description: 'changed' });
      for (const _ of ['once', 'again'])
        await call('POST', `/v3/device-groups/${id}/devices/add`, { device_id: device });
      for (const _ of ['once', 'again']) await call('POST', `/v3/device-groups/${id}/devices/remove`, { id: device });
      await call('DELETE', `/v3/device-groups/${id}`);
      const query = (await call('POST', '/v3/device-queries', { name: newId(), query: 'name=a' })).body.id;
      const credential = (await call('POST', `/v3/devices/${device}/credentials`, { kind: 'psk' })).body;
      await call('DELETE', `/v3/devices/${device}/credentials/${credential.id}`);
      const of = (target: string): (string | undefined)[][] =>
        audited()
          .filter((fact) => fact.data?.['target_id'] === target)
          .map((fact) => [fact.eventCode, fact.deviceId]);
      await eventually(() => {
        // Facts of the account and of the device have keys of their own: the order between them is open.
        expect(of(id).toSorted()).toEqual([
          ['SYS_540', undefined],
          ['SYS_541', undefined],
          ['SYS_542', undefined],
          ['SYS_543', device],
          ['SYS_544', device],
        ]);
        expect(of(query)).toEqual([['SYS_545', undefined]]);
        expect(of(credential.id)).toEqual([
          ['SYS_560', device],
          ['SYS_561', device],
        ]);
      });
      expect(audited().find((fact) => fact.data?.['target_id'] === id)?.data).toMatchObject({
        actor_key_id: expect.stringMatching(/^[0-9a-f]{32}$/),
        actor_account_id: accountId,
        request_id: 'r',
      });
      expect(JSON.stringify(audited())).not.toContain(String(credential['key']));
    });

    it('400 without a name and for a bad attribute, 409 for a taken name, 404 for an unknown group', async () => {
      expect((await call('POST', '/v3/device-groups', { description: 'x' })).body.fields[0].name).toBe('name');
      expect((await call('POST', '/v3/device-groups', { name: newId(), deep: { a: 1 } })).body.fields[0].name).toBe(
        'deep',
      );
      const name = newId();
      const create = (): ReturnType<typeof call> => call('POST', '/v3/device-groups', { name });
      const replies = await Promise.all([create(), create(), create()]);
      expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
      const taken = { type: 'duplicate', fields: [{ name: 'name' }] };
      expect(await create()).toMatchObject({ status: 409, body: taken });
      const { id: other } = (await call('POST', '/v3/device-groups', { name: newId() })).body;
      expect(await call('PUT', `/v3/device-groups/${other}`, { name })).toMatchObject({ status: 409, body: taken });
      expect((await call('GET', `/v3/device-groups/${newId()}`)).status).toBe(404);
    });

    it('changes what is given; lists with filters; deletes', async () => {
      const { body: group } = await call('POST', '/v3/device-groups', { name: newId(), site: 'a' });
      const { body } = await call('PUT', `/v3/device-groups/${group.id}/`, { description: 'new' });
      expect(body).toMatchObject({ name: group.name, description: 'new', custom_attributes: { site: 'a' } });
      const replaced = await call('PUT', `/v3/device-groups/${group.id}`, { custom_attributes: { hall: 'b' } });
      expect(replaced.body).toMatchObject({ name: group.name, description: 'new' });
      expect(replaced.body['custom_attributes']).toEqual({ hall: 'b' });
      expect((await call('GET', `/v3/device-groups?name__eq=${group.name}&include=total_count`)).body).toMatchObject({
        total_count: 1,
        data: [{ id: group.id }],
      });
      expect((await call('DELETE', `/v3/device-groups/${group.id}/`)).status).toBe(204);
      expect((await call('DELETE', `/v3/device-groups/${group.id}/`)).status).toBe(404);
    });

    it('lists with the filters of each field', async () => {
      const account = newId();
      const ids: string[] = [];
      for (const [name, site] of [
        ['a', 'north'],
        ['b', 'south'],
        ['c', 'north'],
      ])
        ids.push((await call('POST', '/v3/device-groups', { name, site }, account)).body.id);
      const { id: device } = (await call('POST', '/v3/devices', {}, account)).body;
      await call('POST', `/v3/device-groups/${ids[1]}/devices/add`, { id: device }, account);
      const expected: [query: string, names: string[]][] = [
        ['order=DESC', ['c', 'b', 'a']],
        [`id__in=${ids[0]},${ids[2]}`, ['a', 'c']],
        ['name=b', ['b']],
        ['name__neq=b', ['a', 'c']],
        ['name__in=a,c', ['a', 'c']],
        ['name__nin=a,c', ['b']],
        ['devices_count=1', ['b']],
        ['devices_count__neq=1', ['a', 'c']],
        ['devices_count__in=0,1', ['a', 'b', 'c']],
        ['devices_count__nin=0', ['b']],
        ['devices_count__lte=0', ['a', 'c']],
        ['devices_count__gte=1', ['b']],
        ['created_at__gte=2020-01-01T00:00:00Z', ['a', 'b', 'c']],
        ['updated_at__lte=20200101T000000Z', []],
        ['custom_attributes__site=north', ['a', 'c']],
        [`filter=${encodeURIComponent('custom_attributes__site=north&name__neq=a')}`, ['c']],
      ];
      for (const [query, names] of expected) {
        const { body } = await call('GET', `/v3/device-groups?${query}`, undefined, account);
        expect([query, body.data.map(({ name }) => name)]).toEqual([query, names]);
      }
      const page = async (query: string): Promise<Body> =>
        (await call('GET', `/v3/device-groups?${query}`, undefined, account)).body;
      expect(await page('limit=2&include=total_count')).toEqual({
        object: 'list',
        data: [expect.objectContaining({ id: ids[0] }), expect.objectContaining({ id: ids[1] })],
        limit: 2,
        after: null,
        order: 'ASC',
        has_more: true,
        total_count: 3,
      });
      expect(await page(`limit=1&after=${ids[1]}`)).toEqual({
        object: 'list',
        data: [expect.objectContaining({ id: ids[2] })],
        limit: 2,
        after: ids[1],
        order: 'ASC',
        has_more: false,
      });
      expect((await call('GET', '/v3/device-groups?colour=red', undefined, account)).body.fields[0].name).toBe(
        'colour',
      );
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

    it('409 for the 501st group of a device, also when two are added at once; a member may be added again', async () => {
      const account = newId();
      const { id: device } = (await call('POST', '/v3/devices', {}, account)).body;
      await rows(`INSERT INTO registry.device_groups (id, account_id, name)
        SELECT md5('${account}' || n), '${account}', n::text FROM generate_series(1, 499) n`);
      await rows(`INSERT INTO registry.group_members (group_id, device_id)
        SELECT id, '${device}' FROM registry.device_groups WHERE account_id = '${account}'`);
      const create = async (name: string): Promise<string> =>
        (await call('POST', '/v3/device-groups', { name }, account)).body.id;
      const add = (group: string): ReturnType<typeof call> =>
        call('POST', `/v3/device-groups/${group}/devices/add`, { id: device }, account);
      const groups = await Promise.all(['a', 'b'].map(create));
      const replies = await Promise.all(groups.map(add));
      expect(replies.map(({ status }) => status).toSorted()).toEqual([204, 409]);
      expect(replies.find(({ status }) => status === 409)?.body).toMatchObject({
        type: 'limit_exceeded',
        message: expect.stringMatching(/^The device is already in 500 device groups: /),
      });
      expect((await call('GET', `/v3/devices/${device}`, undefined, account)).body['groups']).toHaveLength(500);
      const member = groups[replies.findIndex(({ status }) => status === 204)] ?? '';
      expect((await add(member)).status).toBe(204);
      await eventually(() => expect(announcedGroups(device)).toHaveLength(500));
    });

    it('says in which groups a device is, however a membership begins and ends', async () => {
      const group = async (): Promise<string> => (await call('POST', '/v3/device-groups', { name: newId() })).body.id;
      const [a, b] = [await group(), await group()];
      const [stays, goes, old] = [await created(), await created(), await created()];
      for (const id of [stays, goes])
        for (const g of [a, b]) await call('POST', `/v3/device-groups/${g}/devices/add`, { id });
      await eventually(() => {
        for (const id of [stays, goes]) expect(announcedGroups(id)).toEqual([a, b].toSorted());
      });
      await call('DELETE', `/v3/devices/${goes}`);
      await call('DELETE', `/v3/device-groups/${a}`);
      await eventually(() => {
        expect(announcedGroups(goes)).toBeUndefined();
        expect(announcedGroups(stays)).toEqual([b]);
      });
      await call('POST', `/v3/device-groups/${b}/devices/remove`, { id: stays });
      // A replica of an older version knows nothing of announcements.
      const older = new Client({ connectionString: configOf('older').secrets.databaseUrl });
      await older.connect();
      await older.query('INSERT INTO registry.group_members (group_id, device_id) VALUES ($1, $2)', [b, old]);
      await older.end();
      await eventually(() => {
        expect(announcedGroups(stays)).toBeUndefined();
        expect(announcedGroups(old)).toEqual([b]);
      });
    });

    it('announces the membership of who began first and ended last', async () => {
      const group = async (): Promise<string> => (await call('POST', '/v3/device-groups', { name: newId() })).body.id;
      const [first, second, device] = [await group(), await group(), await created()];
      const join = async (client: Client, to: string): Promise<void> => {
        await client.connect();
        await client.query('BEGIN');
        await client.query('INSERT INTO registry.group_members (group_id, device_id) VALUES ($1, $2)', [to, device]);
      };
      const { databaseUrl } = configOf('slow').secrets;
      const [slow, quick] = [new Client(databaseUrl), new Client(databaseUrl)];
      await join(slow, first);
      await join(quick, second);
      await quick.query('COMMIT');
      await eventually(() => expect(announcedGroups(device)).toEqual([second]));
      const revision = groupsRevision(device);
      await slow.query('COMMIT');
      await eventually(() => expect(announcedGroups(device)).toEqual([first, second].toSorted()));
      expect(groupsRevision(device)).toBeGreaterThan(revision);
      await Promise.all([slow.end(), quick.end()]);
    });

    it.each(['device', 'group'])('404 when the %s is being deleted', async (kind) => {
      const device = await created();
      const { id: group } = (await call('POST', '/v3/device-groups', { name: newId() })).body;
      const client = new Client(configOf('deleting').secrets.databaseUrl);
      await client.connect();
      await client.query('BEGIN');
      await client.query(
        kind === 'device'
          ? 'DELETE FROM registry.devices WHERE id = $1'
          : 'DELETE FROM registry.device_groups WHERE id = $1',
        [kind === 'device' ? device : group],
      );
      const adding = call('POST', `/v3/device-groups/${group}/devices/add`, { id: device });
      await eventually(async () => {
        const waiting = 'SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))';
        expect((await client.query(waiting)).rowCount).toBe(1);
      });
      await client.query('COMMIT');
      await client.end();
      const { status, body } = await adding;
      expect([status, body.message]).toEqual([
        404,
        expect.stringMatching(`^No such device ${kind === 'device' ? 'in' : 'group'}`),
      ]);
    });

    it('a device added or removed several times at once: 204 each time, and one entry in the event log', async () => {
      const { body: group } = await call('POST', '/v3/device-groups', { name: newId() });
      const device = await created();
      for (const [how, count] of [
        ['add', 1],
        ['remove', 0],
      ] as const) {
        const change = (): ReturnType<typeof call> =>
          call('POST', `/v3/device-groups/${group.id}/devices/${how}`, { device_id: device });
        const replies = await Promise.all([change(), change(), change()]);
        expect(replies.map(({ status, text }) => [status, text])).toEqual(replies.map(() => [204, '']));
        expect((await call('GET', `/v3/device-groups/${group.id}`)).body['devices_count']).toBe(count);
      }
      await call('DELETE', `/v3/device-groups/${group.id}`);
      const codes = (): (string | undefined)[] =>
        audited()
          .filter((fact) => fact.data?.['target_id'] === group.id)
          .map(({ eventCode }) => eventCode);
      await eventually(() => expect(codes().toSorted()).toEqual(['SYS_540', 'SYS_542', 'SYS_543', 'SYS_544']));
    });

    it.each(['add', 'remove'])('%s: 400 without one device, 404 for a device or group of others', async (how) => {
      const { body: group } = await call('POST', '/v3/device-groups', { name: newId() });
      const path = `/v3/device-groups/${group.id}/devices/${how}`;
      const device = await created();
      const wrong: [given: unknown, name: string][] = [
        [undefined, 'body'],
        [[device], 'body'],
        [{}, 'device_id'],
        [{ id: '' }, 'device_id'],
        [{ device_id: null }, 'device_id'],
        [{ device_id: [device] }, 'device_id'],
        [{ id: 7 }, 'id'],
      ];
      for (const [given, name] of wrong) {
        const { status, body } = await call('POST', path, given);
        expect([given, status, body.fields.map((field) => field.name)]).toEqual([given, 400, [name]]);
      }
      const foreign = (await call('POST', '/v3/devices', {}, newId())).body.id;
      for (const id of [foreign, newId(), 'nonsense']) expect((await call('POST', path, { id })).status).toBe(404);
      expect((await call('POST', path, { id: device }, newId())).status).toBe(404);
      expect((await call('POST', `/v3/device-groups/nonsense/devices/${how}`, { id: device })).status).toBe(404);
      expect((await call('GET', `/v3/device-groups/${group.id}/devices`, undefined, newId())).status).toBe(404);
    });
  });
});
