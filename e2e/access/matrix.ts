import { randomBytes } from 'node:crypto';
import { beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { Application, type Reply } from '../application.ts';
import type { RunningSystem } from '../system.ts';
import { deviceScopes, scopeEscapes } from './device-scopes.ts';
import { limitedChannel } from './limited-channel.ts';
import { fresh } from '../journeys.ts';
import { valueHistory } from './value-history.ts';

/** An id that does not exist. */
const newId = (): string => randomBytes(16).toString('hex');

export interface Operation {
  method: string;
  path: string;
}

const everything = [
  'devices.read',
  'devices.write',
  'devices.suspend',
  'devices.credentials',
  'commands',
  'subscriptions',
  'snapshots.read',
  'events.read',
  'campaigns',
];

/** Keys are deleted by unknown ids only: `me` would delete the key that the rest of the column needs. */
const deletesKeys = ({ method, path }: Operation): boolean => method === 'DELETE' && path === '/v3/api-keys/{id}';

/** Signing in and out needs no key. */
const isForAll = ({ method, path }: Operation): boolean =>
  /^\/v3\/session\/oidc/.test(path) || (path === '/v3/session' && method !== 'GET');

/** The permission that an operation needs, stated independently of the gateway's table; undefined if it needs none. */
const needed = ({ method, path }: Operation): string | undefined => {
  const reads = method === 'GET';
  if (/^\/v3\/session/.test(path)) return undefined;
  if (/^\/v3\/api-keys\/\{id\}(\/groups)?$/.test(path) && reads) return undefined;
  if (deletesKeys({ method, path })) return 'admin';
  if (/^\/v3\/api-keys\/\{id\}(\/(reset-secret|rotate|previous-secret))?$/.test(path)) return undefined;
  if (/^\/v3\/(api-keys|key-subscriptions|policy-groups|applications|access-keys|users)/.test(path)) return 'admin';
  if (/^\/v3\/accounts\/\{id\}/.test(path)) return reads ? undefined : 'admin';
  if (/^\/v3\/accounts/.test(path)) return 'installation';
  if (/^\/v3\/(firmware-images|update-campaigns)/.test(path)) return 'campaigns';
  if (/\/(suspend|resume)$|^\/v3\/device-suspensions/.test(path)) return 'devices.suspend';
  if (/credentials|trusted-certificates|bootstrap-profiles/.test(path))
    return reads ? 'devices.read' : 'devices.credentials';
  if (/\/(echo|history)$/.test(path)) return 'snapshots.read';
  if (path.endsWith('/stuck-commands')) return 'commands';
  if (path.endsWith('/lost-subscriptions')) return 'subscriptions';
  if (path.endsWith('/failing-channels') || path.startsWith('/v3/channels')) return 'notifications';
  if (/^\/v3\/device(-event|log)/.test(path)) return 'events.read';
  if (/device-requests/.test(path)) return 'commands';
  if (/^\/v2\/endpoints/.test(path)) return reads && !path.includes('}/') ? 'devices.read' : 'commands';
  if (/^\/v2\/subscriptions|^\/v3\/devices\/\{deviceId\}\/subscriptions/.test(path)) return 'subscriptions';
  if (/^\/v2\/notification/.test(path)) return 'notifications';
  return reads ? 'devices.read' : 'devices.write';
};

/** Calls whose answer waits after the caller was admitted, or which hold a connection open. */
const isHeldOpen = ({ path }: Operation): boolean => /websocket-connect|notification\/pull|stream|tail|live/.test(path);

/** Who may call which operation, checked independently of the gateway's table. */
export const accessMatrix = (system: () => RunningSystem): void => {
  let root: Application;
  let operations: Operation[];

  beforeAll(async () => {
    root = new Application(system().baseUrl, system().adminKey);
    const { json } = await root.call('GET', '/openapi.json');
    expect(json['x-unavailable']).toBeUndefined();
    operations = Object.entries(json.paths as Record<string, object>).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((method) => ['get', 'post', 'put', 'delete', 'patch'].includes(method))
        .map((method) => ({ method: method.toUpperCase(), path })),
    );
    expect(operations.length).toBeGreaterThan(60);
  });

  const tenant = async (): Promise<Application> => {
    const { json } = await root.call('POST', '/v3/accounts', { display_name: fresh('tenant') });
    return root.as(json.admin_key);
  };

  /** Uses ids that do not exist, and a body that no operation accepts: an admitted caller gets an answer other than 403. */
  const attempt = (app: Application, { method, path }: Operation, id = newId()): Promise<Reply> =>
    app.call(method, path.replace(/\{[^}]+\}/g, id), method === 'GET' || method === 'DELETE' ? undefined : '[]');

  it('401 without a key, whatever the operation', async () => {
    const keyless = root.as('none');
    for (const operation of operations.filter((o) => !/websocket-connect/.test(o.path) && !isForAll(o)))
      expect([operation, (await attempt(keyless, operation)).status]).toEqual([operation, 401]);
  });

  it('operation x group: let in by its permission, and by no other', async () => {
    const admin = await tenant();
    const member = async (name: string, permissions: string[]): Promise<[string, string[], Application]> => {
      const group = await admin.call('POST', '/v3/policy-groups', { name: fresh(name), permissions });
      const { json } = await admin.call('POST', '/v3/api-keys', { name, groups: [group.json.id] });
      return [name, permissions, root.as(json.key)];
    };
    const columns: [string, string[], Application][] = [
      ['Administrators', ['admin', 'notifications', ...everything], admin],
      ['Developers', ['notifications', ...everything], await admin.another('developer')],
      await member('nothing', []),
      await member('admin', ['admin']),
      await member('notifications', ['notifications']),
      ...(await Promise.all(everything.map((permission) => member(permission, [permission])))),
    ];
    const wrong: string[] = [];
    for (const operation of operations.filter((o) => !isHeldOpen(o)))
      await Promise.all(
        columns.map(async ([name, held, app]) => {
          const need = needed(operation);
          const { status, text } = await attempt(app, operation, deletesKeys(operation) ? newId() : 'me');
          const isRefused = status === 403;
          if (status >= 500 || isRefused === (need === undefined || held.includes(need)))
            wrong.push(`${operation.method} ${operation.path} for ${name}: ${status} ${text.slice(0, 200)}`);
        }),
      );
    expect(wrong).toEqual([]);
  });

  it('operation x device scope: devices of other groups do not exist', () => deviceScopes(tenant, operations));
  it('the channel of a limited key has its devices only, also when they move', () =>
    limitedChannel(root, system().coapUrls[0] as string));
  it('the history of a value is read with the permission, within the device groups and the account', async () =>
    valueHistory(root, await tenant(), system().coapUrls[0] as string));
  it('a limited key finds no way around its device groups', () => scopeEscapes(tenant));

  it('operation x tenant: what belongs to another tenant does not exist, and stays as it is', async () => {
    const [one, two] = [await tenant(), await tenant()];
    const make = async (path: string, body: unknown): Promise<string> => {
      const { status, json } = await one.call('POST', path, body);
      expect([path, status < 300]).toEqual([path, true]);
      return json.id as string;
    };
    const device = await make('/v3/devices', { endpoint_name: fresh('of-one') });
    const ids: [RegExp, string][] = [
      [/^\/v3\/api-keys/, (await one.call('GET', '/v3/api-keys/me')).json.id],
      [/^\/v3\/accounts/, (await one.call('GET', '/v3/accounts/me')).json.id],
      [/^\/v3\/applications/, await make('/v3/applications', { name: fresh('application') })],
      [/^\/v3\/policy-groups/, (await one.call('GET', '/v3/policy-groups')).json.data[0].id],
      [/^\/v3\/device-groups/, await make('/v3/device-groups', { name: fresh('group') })],
      [/^\/v3\/device-queries/, await make('/v3/device-queries', { name: fresh('query'), query: 'name=a' })],
      [/^\/v3\/device-imports/, await make('/v3/device-imports', 'name\na')],
      [/./, device],
    ];
    const shown = async (): Promise<unknown[]> =>
      Promise.all(
        ['devices', 'device-groups', 'device-queries', 'device-imports', 'policy-groups', 'applications'].map(
          async (path) => (await one.call('GET', `/v3/${path}`)).json.data as unknown,
        ),
      );
    // It has created its device before the others look.
    await eventually(async () =>
      expect((await one.call('GET', `/v3/device-imports/${ids[6]?.[1]}`)).json).toMatchObject({ status: 'completed' }),
    );
    const before = await shown();
    const wrong: string[] = [];
    const bodies: [RegExp, unknown][] = [
      [/suspend$|resume$/, { category: 'other' }],
      [/devices\/(add|remove)$/, { device_id: device }],
      [/groups\/(add|remove)$/, [ids[3]?.[1]]],
      [/credentials$/, { kind: 'psk' }],
      [/device-requests/, { method: 'GET', uri: '/3/0/0' }],
    ];
    for (const operation of operations.filter((o) => o.path.includes('{') && !isHeldOpen(o))) {
      if (/block-categories|object-models/.test(operation.path)) continue;
      const id = ids.find(([path]) => path.test(operation.path))?.[1] ?? '';
      const [known, unknown] = [id, newId()].map((value) => operation.path.replace(/\{[^}]+\}/g, value)) as [
        string,
        string,
      ];
      const body = bodies.find(([path]) => path.test(operation.path))?.[1] ?? { name: 'mine', permissions: [] };
      const send = (path: string): Promise<Reply> =>
        two.call(
          operation.method,
          `${path}?async-id=x`,
          ['GET', 'DELETE'].includes(operation.method) ? undefined : body,
        );
      const [real, invented] = [await send(known), await send(unknown)];
      // The answer is not found, refused, or empty, and is the same for an id that does not exist.
      const told = (reply: Reply): string =>
        reply.text
          .replace(/"request_id":"[^"]*"/, '')
          .replaceAll(id, '')
          .replaceAll(/[0-9a-f]{32}/g, '');
      if (real.status !== invented.status || real.status >= 500 || told(real) !== told(invented))
        wrong.push(
          `${operation.method} ${operation.path}: ${real.status} ${real.text}, invented ${invented.status} ${invented.text}`,
        );
    }
    expect(wrong).toEqual([]);
    expect(await shown()).toEqual(before);
    for (const { method, path } of operations.filter(
      (o) => o.method === 'GET' && !o.path.includes('{') && !isHeldOpen(o),
    ))
      expect([path, (await two.call(method, path)).text]).toEqual([path, expect.not.stringContaining(device)]);
  });
};
