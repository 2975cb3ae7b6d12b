import { describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';

import { type Body, testSystem } from './test-system.js';

/** Text fields of a device that may be null, be the empty text, or hold a text. */
const nullable = [
  'ca_id',
  'deployment',
  'device_class',
  'device_key',
  'endpoint_type',
  'firmware_checksum',
  'host_gateway',
  'manifest',
  'name',
  'net_id',
  'serial_number',
  'vendor_id',
];

describe('lists', () => {
  const { call } = testSystem('lists');

  const namesOf = ({ fields }: Body): string[] => fields.map(({ name }) => name);

  const idsOf = async (path: string, account: string): Promise<string[]> => {
    const { status, body } = await call('GET', path, undefined, account);
    expect([path, status]).toEqual([path, 200]);
    return body.data.map(({ id }) => id);
  };

  it('search finds a part of a name, endpoint name, serial number or id in any case, beside other filters', async () => {
    const account = newId();
    const made = async (body: object): Promise<string> => (await call('POST', '/v3/devices', body, account)).body.id;
    const named = await made({ endpoint_name: 'a-1', name: 'Boiler 100%' });
    const numbered = await made({ endpoint_name: 'BOIL-2', serial_number: 'x', endpoint_type: 'meter' });
    const other = await made({ endpoint_name: 'c-3' });
    const found = (query: string): Promise<string[]> => idsOf(`/v3/devices?${query}`, account);
    expect(await found('search=bOiL')).toEqual([named, numbered].toSorted());
    expect(await found('search=boil&endpoint_type=meter')).toEqual([numbered]);
    expect(await found('search=0%25')).toEqual([named]);
    expect(await found('search=_')).toEqual([]);
    expect(await found(`search=${other.toUpperCase()}`)).toEqual([other]);
    expect(await found('search__in=c-3,100')).toEqual([named, other].toSorted());
    expect(await found('search__neq=boil')).toEqual([other]);
    expect(await found(`filter=${encodeURIComponent('search=boiler 100%25')}`)).toEqual([named]);
  });

  describe('no value and the empty text are the same to a filter', () => {
    const expectDivided = async (account: string, filter: string, none: string[], some: string[]): Promise<void> => {
      const found = (operator: string, value: string): Promise<string[]> =>
        idsOf(`/v3/devices?${filter}${operator}=${value}`, account);
      const expected: [operator: string, value: string, ids: string[]][] = [
        ['', '', none],
        ['__eq', '', none],
        ['__neq', '', some],
        ['__in', '', none],
        ['__nin', '', some],
        ['__in', 'x,', [...none, ...some]],
        ['__nin', ',x', []],
        ['__eq', 'x', some],
        ['__neq', 'x', none],
        ['__in', 'x,y', some],
        ['__nin', 'x,y', none],
      ];
      for (const [operator, value, ids] of expected)
        expect([filter + operator, value, await found(operator, value)]).toEqual([
          filter + operator,
          value,
          ids.toSorted(),
        ]);
    };

    const madeWith = async (account: string, body: object): Promise<string> => {
      const made = await call('POST', '/v3/devices', body, account);
      expect([body, made.status]).toEqual([body, 201]);
      return made.body.id;
    };

    it.each(nullable)('%s', async (field) => {
      const account = newId();
      const ids: string[] = [];
      for (const value of [null, '', 'x']) ids.push(await madeWith(account, { [field]: value }));
      await expectDivided(account, field, ids.slice(0, 2), ids.slice(2));
    });

    it('custom attributes', async () => {
      const account = newId();
      const ids: string[] = [];
      for (const value of [{}, { site: '' }, { site: 'x' }])
        ids.push(await madeWith(account, { custom_attributes: value }));
      await expectDivided(account, 'custom_attributes__site', ids.slice(0, 2), ids.slice(2));
    });

    it('groups: of a device that is in none', async () => {
      const account = newId();
      const [lone, member] = [await madeWith(account, {}), await madeWith(account, {})];
      const { id: group } = (await call('POST', '/v3/device-groups', { name: 'one' }, account)).body;
      await call('POST', `/v3/device-groups/${group}/devices/add`, { id: member }, account);
      for (const [query, ids] of [
        ['groups=', [lone]],
        ['groups__neq=', [member]],
        [`groups__in=,${group}`, [lone, member].sort()],
        [`groups__nin=,${group}`, []],
        [`groups__nin=${group}`, [lone]],
      ])
        expect([query, await idsOf(`/v3/devices?${String(query)}`, account)]).toEqual([query, ids]);
    });
  });

  it.each([
    'state=online',
    'state__in=registered,online',
    'lifecycle_status__neq=',
    'mechanism=direkt',
    'device_execution_mode=2',
    'deployed_state=test',
    'last_operator_suspended_category__nin=holiday',
    'filter=state%3Donline',
  ])('400 naming the filter whose value does not exist: %s', async (query) => {
    const { status, body } = await call('GET', `/v3/devices?${query}`);
    expect([status, namesOf(body)]).toEqual([400, [query.replace('filter=', '').split(/=|%3D/)[0]]]);
  });

  it('booleans in any case', async () => {
    const account = newId();
    const { id } = (await call('POST', '/v3/devices', { auto_update: true }, account)).body;
    for (const value of ['True', 'TRUE', 'true'])
      expect(await idsOf(`/v3/devices?auto_update=${value}`, account)).toEqual([id]);
    expect(await idsOf('/v3/devices?auto_update__eq=False', account)).toEqual([]);
    expect((await call('GET', '/v3/devices?auto_update=1', undefined, account)).status).toBe(400);
  });

  it('400 for a packed filter that is not UTF-8', async () => {
    const { status, body } = await call('GET', '/v3/devices?filter=name%3D%25ff');
    expect([status, namesOf(body)]).toEqual([400, ['filter']]);
  });

  it('a page of devices with long texts ends at 4 MiB, and the next one continues there', async () => {
    const account = newId();
    // JSON writes each of these characters with six.
    const long = '\u0001'.repeat(2_000);
    const ids = await Promise.all(
      Array.from({ length: 130 }, async () => {
        const device = { description: long, manifest: long, mechanism_url: long };
        return (await call('POST', '/v3/devices', device, account)).body.id;
      }),
    );
    const page = async (query: string): Promise<{ found: string[]; text: string; hasMore: boolean }> => {
      const { text, body } = await call('GET', `/v3/devices?limit=1000${query}`, undefined, account);
      return { text, found: body.data.map(({ id }) => id), hasMore: body.has_more };
    };
    const first = await page('');
    expect(first.text.length).toBeGreaterThan(4_100_000);
    expect(first.text.length).toBeLessThan(4_200_000);
    const rest = await page(`&after=${first.found.at(-1)}`);
    expect([first.hasMore, rest.hasMore]).toEqual([true, false]);
    expect([...first.found, ...rest.found]).toEqual(ids.toSorted());
  });

  it('continue behind an item that was deleted, in both orders; 404 for what is no id', async () => {
    const account = newId();
    const csv = 'endpoint_name\na\n';
    const made: [list: string, body: (n: number) => object | string][] = [
      ['/v3/devices', (n) => ({ name: String(n) })],
      ['/v3/device-groups', (n) => ({ name: String(n) })],
      ['/v3/device-queries', (n) => ({ name: String(n), query: 'name=a' })],
      ['/v3/device-imports', () => csv],
    ];
    for (const [list, body] of made) {
      const ids: string[] = [];
      for (let n = 0; n < 5; n++) ids.push((await call('POST', list, body(n), account)).body.id);
      ids.sort();
      const gone = ids[2] as string;
      expect([list, (await call('DELETE', `${list}/${gone}`, undefined, account)).status]).toEqual([list, 204]);
      expect([list, await idsOf(`${list}?after=${gone}`, account)]).toEqual([list, ids.slice(3)]);
      expect([list, await idsOf(`${list}?order=DESC&after=${gone}`, account)]).toEqual([
        list,
        ids.slice(0, 2).reverse(),
      ]);
      expect((await call('GET', `${list}?after=nonsense`, undefined, account)).status).toBe(404);
    }
  });
});
