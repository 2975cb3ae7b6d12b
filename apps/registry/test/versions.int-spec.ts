import { describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';

import { accountId, testSystem } from './test-system.js';

describe('versions and saved queries', () => {
  const { call } = testSystem('versions');

  const made = async (path: string, body: object): Promise<{ id: string; etag: string }> =>
    (await call('POST', path, { name: newId(), ...body })).body;

  describe.each([
    ['/v3/devices', { description: 'x' }],
    ['/v3/device-groups', { description: 'x' }],
    ['/v3/device-queries', { query: 'name=a' }],
  ])('%s', (path, fields) => {
    it('ETag in the answer; If-Match of another version: 412, and nothing changed', async () => {
      const { id, etag } = await made(path, fields);
      const got = await call('GET', `${path}/${id}`);
      expect([got.headers.get('etag'), got.body.etag]).toEqual([`"${etag}"`, etag]);
      const put = (ifMatch: string, description: string): ReturnType<typeof call> =>
        call('PUT', `${path}/${id}`, { description }, accountId, { 'if-match': ifMatch });
      const first = await put(`"${etag}"`, 'first');
      expect([first.status, first.body.description]).toEqual([200, 'first']);
      const second = await put(`"${etag}"`, 'second');
      expect([second.status, second.body.type]).toEqual([412, 'precondition_failed']);
      expect((await call('GET', `${path}/${id}`)).body.description).toBe('first');
      expect((await put(`W/"other", "${first.body.etag}"`, 'third')).status).toBe(200);
      expect((await put('*', 'fourth')).status).toBe(200);
      const drop = (headers: Record<string, string>): ReturnType<typeof call> =>
        call('DELETE', `${path}/${id}`, undefined, accountId, headers);
      expect((await drop({ 'if-match': `"${etag}"` })).status).toBe(412);
      expect((await drop({})).status).toBe(204);
      expect((await put('*', 'fifth')).status).toBe(404);
    });

    it('two changes of one version at once: one of them wins', async () => {
      const { id, etag } = await made(path, fields);
      const replies = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          call('PUT', `${path}/${id}`, { description: `${i}` }, accountId, { 'if-match': `"${etag}"` }),
        ),
      );
      expect(replies.map((reply) => reply.status).sort()).toEqual([200, ...Array<number>(7).fill(412)]);
    });
  });

  describe('/v3/device-queries', () => {
    it('keeps filters and finds devices by them, with more filters and pages', async () => {
      const account = newId();
      for (const [name, site] of [
        ['a', 'north'],
        ['b', 'south'],
        ['c', 'north'],
      ])
        await call('POST', '/v3/devices', { name, custom_attributes: { site } }, account);
      const body = { name: 'northern', query: 'custom_attributes__site=north' };
      const { status, body: saved } = await call('POST', '/v3/device-queries/', body, account);
      expect([status, saved]).toEqual([
        201,
        expect.objectContaining({ object: 'device-query', description: '', ...body }),
      ]);
      const found = async (query: string): Promise<string[]> =>
        (await call('GET', `/v3/device-queries/${saved.id}/devices?${query}`, undefined, account)).body.data.map(
          (device: { name: string }) => device.name,
        );
      expect(await found('')).toEqual(['a', 'c']);
      expect(await found('name__neq=a&order=DESC')).toEqual(['c']);
      await call('PUT', `/v3/device-queries/${saved.id}`, { query: 'name=b' }, account);
      expect(await found('')).toEqual(['b']);
      expect(
        (await call('GET', '/v3/device-queries?name=northern&include=total_count', undefined, account)).body,
      ).toMatchObject({
        total_count: 1,
      });
    });

    it('400 for filters that are none, 409 for a taken name, 404 for another account and a page behind what is no id', async () => {
      for (const [query, field] of [
        ['colour=red', 'colour'],
        ['name=%00', 'name'],
        ['&', 'query'],
        ['?', 'query'],
      ]) {
        const { status, body } = await call('POST', '/v3/device-queries', { name: newId(), query });
        expect([query, status, body.fields?.[0].name]).toEqual([query, 400, field]);
      }
      await call('POST', '/v3/device-queries', { name: 'taken', query: 'name=a' });
      expect((await call('POST', '/v3/device-queries', { name: 'taken', query: 'name=a' })).status).toBe(409);
      const { id } = await made('/v3/device-queries', { query: 'name=a' });
      expect((await call('PUT', `/v3/device-queries/${id}`, { query: '&' })).body.fields?.[0].name).toBe('query');
      const stranger = newId();
      for (const [method, path, body] of [
        ['GET', `/v3/device-queries/${id}`],
        ['PUT', `/v3/device-queries/${id}`, { name: 'mine' }],
        ['DELETE', `/v3/device-queries/${id}`],
        ['GET', `/v3/device-queries/${id}/devices`],
      ] as const)
        expect((await call(method, path, body, stranger)).status).toBe(404);
      expect((await call('GET', '/v3/device-queries?after=1')).status).toBe(404);
    });
  });
});
