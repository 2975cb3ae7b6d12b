import { describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';

import { type Body, testSystem } from './test-system.js';

describe('fields of a body', () => {
  const { call, created } = testSystem('sent-back');

  const namesOf = ({ fields }: Body): string[] => fields.map(({ name }) => name).sort();

  const records = async (): Promise<string[]> => [
    `/v3/devices/${await created({ name: 'Meter', custom_attributes: { site: 'north' } })}`,
    `/v3/device-groups/${(await call('POST', '/v3/device-groups', { name: newId(), site: 'a' })).body.id}`,
    `/v3/device-queries/${(await call('POST', '/v3/device-queries', { name: newId(), query: 'name=a' })).body.id}`,
  ];

  it('a record that was read is sent back with PUT, and differs in nothing but its version', async () => {
    for (const path of await records()) {
      const { body: shown } = await call('GET', path);
      const { status, body } = await call('PUT', path, shown);
      expect([path, status]).toEqual([path, 200]);
      expect({ ...body, etag: '', updated_at: '' }).toEqual({ ...shown, etag: '', updated_at: '' });
    }
  });

  it('another value of a read-only field is 400 with its name, and nothing is changed', async () => {
    for (const path of await records()) {
      const { body: shown } = await call('GET', path);
      const others = { id: newId(), etag: '2020-01-01T00:00:00.000000Z', created_at: '2020-01-01T00:00:00.000000Z' };
      const { status, body } = await call('PUT', path, { ...shown, ...others, name: 'new' });
      expect([path, status, body.type, namesOf(body)]).toEqual([
        path,
        400,
        'validation_error',
        ['created_at', 'etag', 'id'],
      ]);
      expect((await call('GET', path)).body).toEqual(shown);
    }
  });

  it.each([
    ['lifecycle_status', 'blocked'],
    ['state', 'registered'],
    ['operator_suspended', true],
    ['serial_number', 'S-1'],
    ['groups', [newId()]],
    ['component_attributes', { main: '1' }],
  ])('%s of a device is not changed by PUT: 400 with its name', async (name, value) => {
    const { status, body } = await call('PUT', `/v3/devices/${await created()}`, { [name]: value });
    expect([status, namesOf(body)]).toEqual([400, [name]]);
  });

  it('one that no operation knows is 400 with its name, wherever it stands', async () => {
    const device = await created();
    const [, group, query] = await records();
    const bodies: [method: string, path: string, body: object, names: string[]][] = [
      ['POST', '/v3/devices', { name: 'a', colour: 'red', _x: 1 }, ['_x', 'colour']],
      ['PUT', `/v3/devices/${device}`, { colour: 'red' }, ['colour']],
      ['PUT', String(group), { colour: 'red' }, ['colour']],
      ['POST', `${group}/devices/add`, { device_id: device, colour: 'red' }, ['colour']],
      ['POST', `${group}/devices/add`, { device_id: device, id: newId() }, ['id']],
      ['POST', '/v3/device-groups', { name: newId(), id: newId(), devices_count: 3 }, ['devices_count', 'id']],
      ['POST', '/v3/device-queries', { name: newId(), query: 'name=a', colour: 'red' }, ['colour']],
      ['PUT', String(query), { colour: 'red' }, ['colour']],
      ['POST', `/v3/devices/${device}/credentials`, { kind: 'psk', colour: 'red' }, ['colour']],
      ['POST', `/v3/devices/${device}/suspend`, { category: 'maintenance', colour: 'red' }, ['colour']],
      [
        'POST',
        '/v3/device-suspensions',
        { action: 'resume', category: 'maintenance', filter: 'name=a', all: 1 },
        ['all'],
      ],
      // Operations without a body.
      ['DELETE', `/v3/devices/${device}`, { force: true }, ['force']],
    ];
    for (const [method, path, given, names] of bodies) {
      const { status, body } = await call(method, path, given);
      expect([method, path, status, body]).toEqual([
        method,
        path,
        400,
        expect.objectContaining({ type: 'validation_error' }),
      ]);
      expect([method, path, namesOf(body)]).toEqual([method, path, names]);
    }
  });

  it.each([
    ['/v3/devices', { name: '  ' }, 'name'],
    ['/v3/devices', { endpoint_name: '\t' }, 'endpoint_name'],
    ['/v3/device-groups', { name: '\u3000' }, 'name'],
    ['/v3/device-queries', { name: ' ', query: 'name=a' }, 'name'],
  ])('a blank name is 400: %s %j', async (path, given, name) => {
    const { status, body } = await call('POST', path, given);
    expect([status, namesOf(body)]).toEqual([400, [name]]);
  });

  it.each([
    ['/v3/devices', 'name', 128],
    ['/v3/devices', 'description', 2_000],
    ['/v3/devices', 'endpoint_name', 64],
    ['/v3/devices', 'endpoint_type', 64],
    ['/v3/devices', 'device_class', 32],
    ['/v3/devices', 'device_key', 512],
    ['/v3/devices', 'ca_id', 500],
    ['/v3/devices', 'serial_number', 64],
    ['/v3/devices', 'vendor_id', 255],
    ['/v3/devices', 'net_id', 40],
    ['/v3/device-groups', 'name', 128],
    ['/v3/device-groups', 'description', 1_024],
  ])('%s: %s has at most %i characters', async (path, field, max) => {
    const send = (length: number): ReturnType<typeof call> =>
      call('POST', path, { name: newId(), [field]: 'x'.repeat(length) });
    expect((await send(max)).status).toBe(201);
    const { status, body } = await send(max + 1);
    expect([status, namesOf(body)]).toEqual([400, [field]]);
  });

  it.each([
    ['/v3/devices', 5],
    ['/v3/device-groups', 10],
  ])('%s: at most %i custom attributes', async (path, max) => {
    const send = (count: number): ReturnType<typeof call> => {
      const attributes = Object.fromEntries(Array.from({ length: count }, (_, n) => [`a${n}`, 'x']));
      return call('POST', path, { name: newId(), custom_attributes: attributes });
    };
    expect((await send(max)).status).toBe(201);
    const { status, body } = await send(max + 1);
    expect([status, namesOf(body)]).toEqual([400, ['custom_attributes']]);
  });

  it.each([['name=%20'], [`name=${'x'.repeat(129)}`], ['name=a&name=b']])(
    'a name of an import that cannot be kept as it is: 400 (%s)',
    async (query) => {
      const { status, body } = await call('POST', `/v3/device-imports?${query}`, 'endpoint_name\na\n');
      expect([status, namesOf(body)]).toEqual([400, ['name']]);
    },
  );

  it('custom attributes take numbers and booleans, kept as the text that JSON has for them', async () => {
    const given = { floor: 2, height: 1.5, huge: 1e21, indoor: true, site: 'north' };
    const kept = { floor: '2', height: '1.5', huge: '1e+21', indoor: 'true', site: 'north' };
    const device = await call('POST', '/v3/devices', { custom_attributes: given });
    const group = await call('POST', '/v3/device-groups', { name: newId(), ...given });
    expect([device.status, device.body['custom_attributes']]).toEqual([201, kept]);
    expect([group.status, group.body['custom_attributes']]).toEqual([201, kept]);
    const found = await call('GET', `/v3/devices?id=${device.body.id}&custom_attributes__floor=2`);
    expect(found.body.data).toHaveLength(1);
    const faces = '\u{1F600}'.repeat(128);
    const changed = await call('PUT', `/v3/devices/${device.body.id}`, { custom_attributes: { site: faces } });
    expect([changed.status, changed.body['custom_attributes']]).toEqual([200, { site: faces }]);
    for (const value of [null, {}, ['a'], 'x'.repeat(129), `${faces}x`]) {
      const { status, body } = await call('PUT', `/v3/devices/${device.body.id}`, {
        custom_attributes: { site: value },
      });
      expect([value, status, namesOf(body)]).toEqual([value, 400, ['custom_attributes.site']]);
    }
  });
});
