import { describe, expect, it } from '@jest/globals';
import { suspensionCategories } from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { Client } from 'pg';
import { SessionWriter } from '../src/intake/session-writer.js';
import { type Body, testSystem, type Reply } from './test-system.js';

describe('suspension and sessions', () => {
  const { call, configOf, created, changesOf, introduce, replica, rows, session, tell, tellAccount } =
    testSystem('suspension');

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
      const { etag } = (await call('GET', `/v3/devices/${id}`)).body;
      expect((await call('POST', `/v3/devices/${id}/resume`, { category: 'other' })).status).toBe(204);
      expect((await call('GET', `/v3/devices/${id}`)).body.etag).toBe(etag);
    });

    it('twice for the same reason: told once, and the record stays as it is', async () => {
      const id = await created();
      const suspend = (body: object): Promise<Reply> => call('POST', `/v3/devices/${id}/suspend`, body);
      await suspend({ category: 'recalled', description: 'batch 7' });
      const { etag } = (await call('GET', `/v3/devices/${id}`)).body;
      expect((await suspend({ category: 'recalled', description: 'batch 7' })).status).toBe(204);
      expect((await call('GET', `/v3/devices/${id}`)).body.etag).toBe(etag);
      await suspend({ category: 'recalled' });
      await eventually(() =>
        expect(changesOf(id).map(({ suspension }) => suspension?.description)).toEqual([
          undefined,
          'batch 7',
          undefined,
        ]),
      );
    });

    it.each<[string, unknown, string]>([
      ['without a body', undefined, 'body'],
      ['with a list', [], 'body'],
      ['without a category', {}, 'category'],
      ['with null as the category', { category: null }, 'category'],
      ['with a number as the category', { category: 1 }, 'category'],
      ['with an unknown category', { category: 'bored' }, 'category'],
      ['with a category in capitals', { category: 'Other' }, 'category'],
      ['with null as the description', { category: 'other', description: null }, 'description'],
      ['with a description that is no text', { category: 'other', description: 7 }, 'description'],
      ['with a description that is too long', { category: 'other', description: 'x'.repeat(2_001) }, 'description'],
    ])('400 %s, naming the field, and nothing is changed', async (_, given, name) => {
      const id = await created();
      const { body: before } = await call('GET', `/v3/devices/${id}`);
      for (const verb of ['suspend', 'resume']) {
        const { status, body } = await call('POST', `/v3/devices/${id}/${verb}`, given);
        expect([status, body.type, body.fields.map((field) => field.name)]).toEqual([400, 'validation_error', [name]]);
      }
      expect((await call('GET', `/v3/devices/${id}`)).body).toEqual(before);
    });

    it('keeps a description of 2,000 characters, also after the device was resumed', async () => {
      const id = await created();
      const description = 'x'.repeat(2_000);
      expect((await call('POST', `/v3/devices/${id}/suspend`, { category: 'recalled', description })).status).toBe(204);
      expect((await call('POST', `/v3/devices/${id}/resume`, { category: 'other', description })).status).toBe(204);
      expect((await call('GET', `/v3/devices/${id}`)).body).toMatchObject({
        lifecycle_status: 'enabled',
        last_operator_suspended_category: 'recalled',
        last_operator_suspended_description: description,
      });
    });

    it('many at the same moment: each has its own answer, and one that waits for a lock holds up no other', async () => {
      const ids: string[] = [];
      while (ids.length < 24) ids.push(await created());
      const [held, ...others] = ids as [string, ...string[]];
      const foreign = (await call('POST', '/v3/devices', {}, newId())).body.id;
      const holder = new Client({ connectionString: configOf('holder').secrets.databaseUrl });
      await holder.connect();
      try {
        await holder.query('BEGIN');
        await holder.query('SELECT 1 FROM registry.devices WHERE id = $1 FOR UPDATE', [held]);
        const asked = (id: string, n: number): Promise<Reply> =>
          call('POST', `/v3/devices/${id}/suspend`, { category: 'other', description: `reason ${n}` });
        const ofHeld = asked(held, 0);
        const again = others.slice(0, 2);
        const replies = await Promise.all([...others, foreign, newId(), ...again].map((id, n) => asked(id, n + 1)));
        const [done, missing] = [204, 404];
        expect(replies.map(({ status }) => status)).toEqual([...others.map(() => done), missing, missing, done, done]);
        await holder.query('COMMIT');
        expect((await ofHeld).status).toBe(done);
      } finally {
        await holder.end();
      }
      const reasons = (id: string): (string | undefined)[] =>
        changesOf(id).flatMap(({ change, suspension }) => (change === 'suspended' ? suspension?.description : []));
      await eventually(() => {
        expect(reasons(held)).toEqual(['reason 0']);
        expect(others.slice(2).map(reasons)).toEqual(others.slice(2).map((_, n) => [`reason ${n + 3}`]));
        for (const [n, id] of others.slice(0, 2).entries())
          expect(reasons(id).toSorted()).toEqual([`reason ${n + 1}`, `reason ${others.length + 3 + n}`].toSorted());
      });
      expect((await call('GET', `/v3/devices/${foreign}`, undefined, newId())).status).toBe(404);
      const resumed = await Promise.all(
        [...ids, newId()].map((id) => call('POST', `/v3/devices/${id}/resume`, { category: 'other' })),
      );
      expect(resumed.map(({ status }) => status)).toEqual([...ids.map(() => 204), 404]);
    });

    it.each(['suspend', 'resume'])('404 for an unknown device (%s)', async (verb) => {
      for (const id of [newId(), 'nonsense']) {
        const { status, body } = await call('POST', `/v3/devices/${id}/${verb}`, { category: 'other' });
        expect([status, body]).toEqual([
          404,
          {
            object: 'error',
            code: 404,
            type: 'not_found',
            message: 'No such device in this account.',
            request_id: 'r',
          },
        ]);
      }
    });

    it('updates are blocked until it is resumed (spec §3.1); the error is not that of a missing permission', async () => {
      const id = await created();
      await call('POST', `/v3/devices/${id}/suspend`, { category: 'other' });
      const { status, body } = await call('PUT', `/v3/devices/${id}`, { name: 'x' });
      expect([status, body.type]).toEqual([403, 'device_suspended']);
      expect(body.message).toMatch(/resume/);
      expect((await call('GET', `/v3/devices/${id}`)).body.name).toBeNull();
      await call('POST', `/v3/devices/${id}/resume`, { category: 'other' });
      const restored = await call('PUT', `/v3/devices/${id}`, { name: 'x' });
      expect([restored.status, restored.body.name]).toEqual([200, 'x']);
    });

    it('the categories are listed', async () => {
      const { status, body } = await call('GET', '/v3/device-block-categories/');
      expect([status, body]).toEqual([
        200,
        {
          object: 'list',
          data: suspensionCategories.map((reference) => ({
            object: 'device-block-category',
            reference,
            description: expect.stringMatching(/^[A-Z]/),
            updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
          })),
          limit: 50,
          after: null,
          order: 'ASC',
          has_more: false,
        },
      ]);
      const counted = async (filter: string): Promise<number> =>
        (await call('GET', `/v3/device-block-categories?${filter}`)).body.data.length;
      expect(await counted('reference__in=other,recalled')).toBe(2);
      expect(await counted('updated_at__in=20240101T000000Z')).toBe(suspensionCategories.length);
      expect(await counted('updated_at__gte=2024-01-01T00:00:00.000001Z')).toBe(0);
      expect((await call('GET', '/v3/device-block-categories/recalled')).body).toMatchObject({
        object: 'device-block-category',
        reference: 'recalled',
      });
      expect((await call('GET', '/v3/device-block-categories/bored')).status).toBe(404);
    });

    it('the categories come in pages, too', async () => {
      const page = async (query: string): Promise<[references: string[], hasMore: boolean]> => {
        const { body } = await call('GET', `/v3/device-block-categories?${query}`);
        return [body.data.map(({ reference }) => reference), body.has_more];
      };
      expect(await page('limit=2')).toEqual([['maintenance', 'lost_or_stolen'], true]);
      expect(await page('limit=2&after=lost_or_stolen')).toEqual([['recalled', 'security_breach'], true]);
      expect(await page('limit=2&after=security_breach')).toEqual([['other'], false]);
      expect(await page('order=DESC&after=lost_or_stolen')).toEqual([['maintenance'], false]);
      const others = ['security_breach', 'other'];
      expect(await page('reference__neq=recalled&after=recalled')).toEqual([others, false]);
      const { body } = await call('GET', '/v3/device-block-categories?limit=2&include=total_count&after=maintenance');
      expect(body).toMatchObject({ limit: 2, after: 'maintenance', order: 'ASC', total_count: 5 });
      expect((await call('GET', '/v3/device-block-categories?after=bored')).status).toBe(404);
      expect((await call('GET', '/v3/device-block-categories?reference=bored')).body.fields[0].name).toBe('reference');
    });
  });

  describe('an account that the installation suspends', () => {
    const stand = (account: string, status: 'active' | 'suspended', changedAt: string): Promise<void> =>
      tellAccount({ accountId: account, tier: 'commercial', status, autoCreateDevices: false, changedAt });
    const shown = async (account: string, id: string): Promise<Body> =>
      (await call('GET', `/v3/devices/${id}`, undefined, account)).body;
    const make = async (account: string): Promise<string> => (await call('POST', '/v3/devices', {}, account)).body.id;

    it('its devices are suspended by the system and resumed with it; what an operator holds stays held', async () => {
      const account = newId();
      const [free, held, ofAnother] = [await make(account), await make(account), await created()];
      await call('POST', `/v3/devices/${held}/suspend`, { category: 'recalled' }, account);
      await stand(account, 'suspended', '2026-01-01T00:00:01.000Z');
      await eventually(async () => {
        for (const id of [free, held])
          expect(await shown(account, id)).toMatchObject({
            lifecycle_status: 'blocked',
            system_suspended: true,
            last_system_suspended_category: 'other',
            last_system_suspended_description: 'The account is suspended',
            last_system_suspended_updated_at: expect.stringMatching(/Z$/),
          });
      });
      expect(await shown(account, free)).toMatchObject({
        operator_suspended: false,
        last_operator_suspended_category: null,
      });
      expect(await shown(account, held)).toMatchObject({
        operator_suspended: true,
        last_operator_suspended_category: 'recalled',
      });
      // An operator cannot take the system's suspension away.
      await call('POST', `/v3/devices/${free}/resume`, { category: 'other' }, account);
      expect(await shown(account, free)).toMatchObject({ lifecycle_status: 'blocked' });
      // A repeated or a late fact changes nothing.
      await stand(account, 'suspended', '2026-01-01T00:00:01.000Z');
      await stand(account, 'active', '2026-01-01T00:00:00.000Z');
      await stand(account, 'active', '2026-01-01T00:00:02.000Z');
      await eventually(async () =>
        expect(await shown(account, free)).toMatchObject({ lifecycle_status: 'enabled', system_suspended: false }),
      );
      expect(await shown(account, held)).toMatchObject({ lifecycle_status: 'blocked', operator_suspended: true });
      await eventually(() =>
        expect(changesOf(free).map(({ change, suspension, actor }) => [change, suspension?.by, actor])).toEqual([
          ['created', undefined, expect.anything()],
          ['suspended', 'system', undefined],
          ['resumed', 'system', undefined],
        ]),
      );
      expect((await call('GET', `/v3/devices/${ofAnother}`)).body).toMatchObject({ system_suspended: false });
    });
  });

  describe('a device that is created in a suspended account', () => {
    const make = async (account: string): Promise<Body> => {
      const { status, body } = await call('POST', '/v3/devices', { endpoint_name: newId() }, account);
      expect(status).toBe(201);
      return body;
    };
    const meet = async (account: string): Promise<Body> => {
      const deviceId = newId();
      await introduce({ deviceId, accountId: account, endpointName: deviceId });
      return eventually(async () => {
        const { status, body } = await call('GET', `/v3/devices/${deviceId}`, undefined, account);
        expect(status).toBe(200);
        return body;
      });
    };
    const stand = (account: string, status: 'active' | 'suspended', changedAt: string): Promise<void> =>
      tellAccount({ accountId: account, tier: 'commercial', status, autoCreateDevices: false, changedAt });

    it.each([
      ['over the API', make],
      ['by its first contact', meet],
    ])(
      '%s is suspended by the system, in every answer and announcement, until the account is resumed',
      async (_, create) => {
        const account = newId();
        const before = await make(account);
        await stand(account, 'suspended', '2026-01-01T00:00:01.000Z');
        const shown = async (id: string): Promise<Body> =>
          (await call('GET', `/v3/devices/${id}`, undefined, account)).body;
        await eventually(async () => expect((await shown(before.id)).lifecycle_status).toBe('blocked'));
        const device = await create(account);
        expect(device).toMatchObject({
          lifecycle_status: 'blocked',
          operator_suspended: false,
          system_suspended: true,
          last_system_suspended_category: 'other',
          last_system_suspended_description: 'The account is suspended',
          last_system_suspended_updated_at: expect.stringMatching(/Z$/),
        });
        const found = async (filter: string): Promise<number> =>
          (await call('GET', `/v3/devices?id__eq=${device.id}&${filter}`, undefined, account)).body.data.length;
        expect(await found('system_suspended=true&lifecycle_status=blocked')).toBe(1);
        expect(await found('lifecycle_status=enabled')).toBe(0);
        const { text } = await call('GET', '/v3/devices/export', undefined, account);
        expect(text.split('\r\n').find((line) => line.includes(device.id))).toMatch(/,blocked,/);
        await stand(account, 'active', '2026-01-01T00:00:02.000Z');
        await eventually(async () => expect((await shown(device.id)).lifecycle_status).toBe('enabled'));
        await eventually(() =>
          expect(
            changesOf(device.id).map(({ change, lifecycleStatus, suspension, revision }) => [
              change,
              lifecycleStatus,
              suspension?.by,
              revision,
            ]),
          ).toEqual([
            ['created', 'enabled', undefined, 1],
            ['suspended', 'blocked', 'system', 2],
            ['resumed', 'enabled', 'system', 3],
          ]),
        );
      },
    );
  });

  describe('device.sessions', () => {
    const state = async (id: string): Promise<string> => (await call('GET', `/v3/devices/${id}`)).body.state;

    it('state follows the sessions, never back to an older epoch', async () => {
      const id = await created();
      const { endpointType: _, ...untyped } = session(id);
      await tell({ ...untyped, epoch: 1 });
      await eventually(async () => expect(await state(id)).toBe('registered'));
      await tell({ ...untyped, epoch: 2, change: 'deregistered', reason: 'device' });
      await eventually(async () => expect(await state(id)).toBe('deregistered'));
      await tell(session(id, { epoch: 1, change: 'updated', endpointType: 'older' }));
      await tell(session(id, { epoch: 3, endpointType: 'newer' }));
      await eventually(async () => expect(await state(id)).toBe('registered'));
      // The first type that is stored stays.
      expect((await call('GET', `/v3/devices/${id}`)).body.endpoint_type).toBe('newer');
    });

    it('a fact that is stored after the end of its epoch changes nothing', async () => {
      const id = await created();
      const writer = replica(0).app.get(SessionWriter, { strict: false });
      const told = async (...facts: Parameters<typeof session>[1][]): Promise<string> => {
        for (const fact of facts) await writer.apply([session(id, fact)]);
        return state(id);
      };
      expect(await told({ epoch: 1 }, { epoch: 1, change: 'updated' })).toBe('registered');
      expect(await told({ epoch: 1, change: 'expired' }, { epoch: 1, change: 'updated' })).toBe('deregistered');
      expect(await told({ epoch: 2, change: 'updated' })).toBe('registered');
    });

    it('an update of a registration does not write the row of the device again', async () => {
      const id = await created();
      const writer = replica(0).app.get(SessionWriter, { strict: false });
      const version = (): Promise<unknown[]> => rows(`SELECT xmin, ctid FROM registry.devices WHERE id = '${id}'`);
      await writer.apply([session(id, { epoch: 1 })]);
      const before = await version();
      await writer.apply([session(id, { epoch: 1, change: 'updated' })]);
      expect(await version()).toEqual(before);
      await writer.apply([session(id, { epoch: 2, change: 'updated' })]);
      expect(await version()).not.toEqual(before);
    });
  });
});
