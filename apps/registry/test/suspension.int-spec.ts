import { describe, expect, it } from '@jest/globals';
import { suspensionCategories } from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import { eventually } from '@lanyard/testing';

import { registryLandscape } from './landscape.js';

describe('suspension and sessions', () => {
  const { call, created, changesOf, session, tell } = registryLandscape('suspension');

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

  describe('device.sessions', () => {
    const state = async (id: string): Promise<string> => (await call('GET', `/v3/devices/${id}`)).body.state;

    it('state follows the sessions, never back to an older epoch', async () => {
      const id = await created();
      await tell(session(id, { epoch: 1 }));
      await eventually(async () => expect(await state(id)).toBe('registered'));
      await tell(session(id, { epoch: 2, change: 'deregistered', reason: 'device' }));
      await eventually(async () => expect(await state(id)).toBe('deregistered'));
      await tell(session(id, { epoch: 1, change: 'updated' }));
      await tell(session(id, { epoch: 3, change: 'bootstrapped', occurredAt: '2024-05-05T05:05:05Z' }));
      await eventually(async () => expect(await state(id)).toBe('bootstrapped'));
      expect((await call('GET', `/v3/devices/${id}`)).body.bootstrapped_timestamp).toBe('2024-05-05T05:05:05.000000Z');
    });

    it('first contact creates the device with its id, once', async () => {
      const deviceId = newId();
      const fact = session(deviceId, { endpointName: `first-${deviceId}`, epoch: 1, firstContact: true });
      await tell(fact);
      await tell(fact);
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
      await tell(session(minted, { endpointName, epoch: 1, firstContact: true }));
      await eventually(() => expect(changesOf(minted)).toMatchObject([{ change: 'deleted', endpointName }]));
      expect((await call('GET', `/v3/devices/${minted}`)).status).toBe(404);
      expect((await call('GET', `/v3/devices/${held}`)).status).toBe(200);
    });
  });
});
