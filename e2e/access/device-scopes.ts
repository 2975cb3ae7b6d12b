import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { Client } from 'undici';
import type { Application, Reply } from '../application.ts';
import { fresh } from '../journeys.ts';
import type { Operation } from './matrix.ts';

const newId = (): string => randomBytes(16).toString('hex');

/**
 * How an operation treats a key that is limited to device groups, independently of the gateway's table.
 * `devices`: the path names a device. `groups`: it names a device group. `campaigns`: a campaign. `list`: answers with what the
 * key may see. `event`, `command`: names one. `open`: reveals nothing about devices. `own`: concerns the key itself. `whole`:
 * the whole account, so it is denied. `admin`: needs a permission that limited keys never have. Add new operations here.
 */
const kindOf = ({ method, path }: Operation): string => {
  const reads = method === 'GET';
  if (/^\/v3\/(api-keys\/\{id\}|session|accounts\/\{id\})/.test(path)) {
    if (/groups\/|groups$/.test(path) && !reads) return 'admin';
    return path.startsWith('/v3/accounts') && (!reads || path.includes('{account}')) ? 'admin' : 'own';
  }
  if (/^\/v3\/(api-keys|applications|access-keys|policy-groups|accounts|key-subscriptions|users)/.test(path))
    return 'admin';
  if (/^\/v3\/devices\/\{|^\/v2\/(endpoints|subscriptions|device-requests)\/\{/.test(path)) return 'devices';
  if (/^\/v3\/device-groups\/\{id\}\/devices/.test(path)) return 'groups';
  if (/^\/v3\/device-groups\/\{id\}$/.test(path)) return reads ? 'groups' : 'whole';
  if (/^\/v3\/update-campaigns\/\{/.test(path)) return 'campaigns';
  if (/^\/v3\/(device-events|devicelog)\/\{/.test(path)) return 'event';
  if (/^\/v3\/device-requests\/\{/.test(path)) return 'command';
  if (/^\/v3\/(device-event-codes|device-block-categories)/.test(path)) return 'open';
  if (/^\/v3\/(object-models|firmware-images)/.test(path)) return reads ? 'open' : 'whole';
  if (/^\/v3\/(device-queries|device-imports|trusted-certificates|bootstrap-profiles|statistics|attention)/.test(path))
    return 'whole';
  if (/^\/v3\/(devices|device-groups)$/.test(path)) return reads ? 'list' : 'whole';
  if (
    /^(\/v3\/(devices\/export|device-events|devicelog|device-requests|explain|device-suspensions|update-campaigns|channels)|\/v2\/(endpoints|subscriptions|notification))/.test(
      path,
    )
  )
    return 'list';
  return `not known: ${method} ${path}`;
};

/** Calls that stay open, and those that remove what other calls need. */
const isLeftOut = ({ method, path }: Operation): boolean =>
  /websocket-connect|notification\/pull|stream/.test(path) ||
  (/^\/v3\/(api-keys\/\{id\}|session)/.test(path) && method !== 'GET');

const bodyOf = ({ method, path }: Operation, device: string): unknown => {
  if (method === 'GET' || method === 'DELETE') return undefined;
  if (/^\/v3\/update-campaigns\/\{id\}\//.test(path)) return undefined;
  if (/suspend$|resume$/.test(path)) return { category: 'other' };
  if (/devices\/(add|remove)$/.test(path)) return { device_id: device };
  if (/credentials$/.test(path)) return { kind: 'psk' };
  if (/^\/v2\/device-requests/.test(path)) return { method: 'GET', uri: '/3/0/0' };
  if (/^\/v3\/(devices|update-campaigns)\/\{id\}$/.test(path)) return { description: 'changed' };
  return '[]';
};

/** Some operations become commands, and one needs a subject. */
const queryOf = ({ path }: Operation): string =>
  /^\/v2\/(endpoints|subscriptions|device-requests)|explain/.test(path) ? '?async-id=x' : '';

/** The answer without the parts that differ between two answers in any case. */
const toldBy = ({ status, text }: Reply): string =>
  `${status} ${text.replace(/"request_id":"[^"]*"/, '').replaceAll(/[0-9a-f]{32}/g, '')}`;

interface Fleet {
  admin: Application;
  limited: Application;
  mine: { device: string; group: string; campaign: string };
  others: { device: string; group: string; campaign: string };
  /** Texts that the key must not see. */
  hidden: string[];
}

const make = async (app: Application, path: string, body: unknown): Promise<string> => {
  const { status, json, text } = await app.call('POST', path, body);
  if (status >= 300) throw new Error(`POST ${path}: ${status} ${text}`);
  return (json as { id: string } | undefined)?.id ?? '';
};

const imageIn = (app: Application): Promise<string> =>
  make(app, `/v3/firmware-images?name=${fresh('image')}&version=2`, 'firmware');

const fleetOf = async (admin: Application): Promise<Fleet> => {
  const image = await imageIn(admin);
  const part = async (name: string): Promise<Fleet['mine'] & { name: string }> => {
    const endpoint = fresh(name);
    const device = await make(admin, '/v3/devices', { endpoint_name: endpoint });
    const group = await make(admin, '/v3/device-groups', { name: fresh(name) });
    await make(admin, `/v3/device-groups/${group}/devices/add`, { device_id: device });
    const wanted = { name: fresh(name), firmware_image_id: image, group_id: group };
    return { name: endpoint, device, group, campaign: await make(admin, '/v3/update-campaigns', wanted) };
  };
  const [mine, others] = [await part('mine'), await part('others')];
  const keyGroup = await make(admin, '/v3/policy-groups', { name: fresh('limited'), device_groups: [mine.group] });
  const { json } = await admin.call('POST', '/v3/api-keys', { name: 'limited', groups: [keyGroup] });
  const hidden = [others.device, others.group, others.campaign, others.name];
  return { admin, limited: admin.as((json as { key: string }).key), mine, others, hidden };
};

type Part = Fleet['mine'];

const idFor = (kind: string, part: Part): string => {
  if (kind === 'groups') return part.group;
  return kind === 'campaigns' ? part.campaign : part.device;
};

/** Problems with the answers to one operation. */
const problemsOf = async ({ limited, mine, others, hidden }: Fleet, operation: Operation): Promise<string[]> => {
  const { method, path } = operation;
  const kind = kindOf(operation);
  const send = (id: string, device: string): Promise<Reply> =>
    limited.call(method, path.replace(/\{[^}]+\}/g, id) + queryOf(operation), bodyOf(operation, device));
  const tell = (what: string, { status, text }: Reply): string =>
    `${method} ${path} (${kind}): ${what}: ${status} ${text}`;
  if (['whole', 'admin'].includes(kind)) {
    const reply = await send(newId(), mine.device);
    return reply.status === 403 ? [] : [tell('not denied', reply)];
  }
  if (['devices', 'groups', 'campaigns'].includes(kind)) {
    const [hers, invented] = [await send(idFor(kind, others), mine.device), await send(newId(), mine.device)];
    const found = [
      ...(toldBy(hers) === toldBy(invented) ? [] : [tell('another answer than for an invented id', hers)]),
      ...(hers.status === 404 ? [] : [tell('found', hers)]),
    ];
    if (method !== 'GET') return found;
    const own = await send(idFor(kind, mine), mine.device);
    const isHidden = toldBy(own) === toldBy(invented) && !/credentialId|^\/v2\/endpoints/.test(path);
    return own.status === 403 || isHidden ? [...found, tell('its own is not found', own)] : found;
  }
  if (kind.startsWith('not known')) return [kind];
  const reply = await send(kind === 'own' ? 'me' : newId(), mine.device);
  const seen = hidden.filter((text) => reply.text.includes(text));
  const isDenied = reply.status === 403 || reply.status >= 500;
  return [...(isDenied ? [tell('denied', reply)] : []), ...seen.map((text) => tell(`shows ${text}`, reply))];
};

/** Operation x limited key: records outside do not exist for the key, cannot be changed, and stay as they are. */
export const deviceScopes = async (
  tenant: () => Promise<Application>,
  operations: readonly Operation[],
): Promise<void> => {
  const fleet = await fleetOf(await tenant());
  const { admin, limited, mine, others } = fleet;
  // The event log learns of the memberships a moment later.
  await eventually(async () => expect((await limited.call('GET', '/v3/device-events')).text).toContain(mine.device));
  const before = (await admin.call('GET', `/v3/devices/${others.device}`)).text;
  const wrong: string[] = [];
  // Deletions come last.
  const inOrder = operations
    .filter((operation) => !isLeftOut(operation))
    .toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
  for (const operation of inOrder) wrong.push(...(await problemsOf(fleet, operation)));
  expect(wrong).toEqual([]);
  expect((await admin.call('GET', `/v3/devices/${others.device}`)).text).toBe(before);
};

/** Paths that a service might read as those of another device or group than the gateway does. */
const spellings = ({ mine, others }: Fleet): string[] => [
  `/v3/devices/${mine.device}/../${others.device}`,
  `/v3/devices/${mine.device}/%2e%2e/${others.device}`,
  `/v3/devices/${mine.device}%2f..%2f${others.device}`,
  `/v3/devices/${mine.device}?/../${others.device}`,
  `/v3/devices/./${others.device}`,
  `//v3//devices//${others.device}/`,
  `/v3/devices/${others.device.toUpperCase()}`,
  `/v3/devices/${others.device}%20`,
  `/v3/devices/${others.device};a=b`,
  `/v3/devices/${others.device}%00`,
  `/v3/devices?groups__eq=${others.group}&groups__eq=${mine.group}`,
  `/v3/device-groups/${mine.group}/devices/../../${others.group}/devices`,
  `/v3/device-groups/${mine.group}%2f..%2f${others.group}/devices`,
];

/** Sends the targets unchanged over the wire. */
const spelledOtherwise = async (fleet: Fleet, name: string): Promise<void> => {
  const { baseUrl, key } = fleet.limited;
  const client = new Client(baseUrl);
  const headers = { authorization: `Bearer ${key}`, accept: 'application/json' };
  const send = async (path: string): Promise<string> => {
    const { body } = await client.request({ method: 'GET', path, headers });
    return body.text();
  };
  try {
    for (const path of spellings(fleet)) {
      // A server that refuses a target may end the connection before it is used again.
      const text = await send(path).catch(() => send(path));
      expect([path, text]).toEqual([path, expect.not.stringContaining(name)]);
    }
  } finally {
    await client.close();
  }
};

/** Ways around the check of paths: filters, bulk changes, moving devices, the limits of the key itself. */
export const scopeEscapes = async (tenant: () => Promise<Application>): Promise<void> => {
  const fleet = await fleetOf(await tenant());
  const { admin, limited, mine, others, hidden } = fleet;
  const name = hidden[3] as string;
  expect((await admin.call('GET', `/v3/devices/${others.device}`)).text).toContain(name);
  await spelledOtherwise(fleet, name);
  const ask = async (path: string): Promise<string> => (await limited.call('GET', path)).text;
  const paths = [
    `/v3/devices?id__in=${others.device},${mine.device}&include=total_count`,
    `/v3/devices?groups__eq=${others.group}`,
    `/v3/devices?groups__neq=${mine.group}`,
    `/v3/devices?filter=${encodeURIComponent(`groups__in=${others.group}`)}`,
    `/v3/devices/export?id__eq=${others.device}`,
    `/v3/device-events?device_id__eq=${others.device}`,
    `/v3/device-events?group_id__eq=${others.group}&include=total_count`,
    `/v3/explain?device_id=${name}`,
    `/v3/explain?device_id=${others.device}`,
    `/v3/update-campaigns?group_id__eq=${others.group}&include=total_count`,
  ];
  for (const path of paths)
    for (const text of hidden)
      expect([path, (await ask(path)).replaceAll(/"message":"[^"]*"/g, '')]).toEqual([
        path,
        expect.not.stringContaining(text),
      ]);
  expect((await limited.call('GET', '/v3/devices?include=total_count')).json).toMatchObject({ total_count: 1 });
  expect((await limited.call('GET', '/v3/accounts/me/usage')).json).toMatchObject({ devices: { used: 1 } });

  const bulk = (body: object): Promise<Reply> =>
    limited.call('POST', '/v3/device-suspensions', { action: 'suspend', category: 'other', ...body });
  expect((await bulk({ filter: 'lifecycle_status=enabled', dry_run: true })).json).toMatchObject({ matched_count: 1 });
  expect((await bulk({ filter: 'lifecycle_status=enabled' })).json).toMatchObject({ changed_count: 1 });
  expect((await bulk({ group_id: others.group })).status).toBe(404);
  expect((await admin.call('GET', `/v3/devices/${others.device}`)).json).toMatchObject({ lifecycle_status: 'enabled' });

  const add = (group: string, device: string): Promise<Reply> =>
    limited.call('POST', `/v3/device-groups/${group}/devices/add`, { device_id: device });
  expect((await add(mine.group, others.device)).status).toBe(404);
  expect((await add(others.group, mine.device)).status).toBe(404);
  const widened = await limited.call('PUT', '/v3/api-keys/me', { device_groups: [others.group] });
  expect([widened.status, widened.json]).toMatchObject([403, { type: 'access_denied' }]);
  const campaign = { name: fresh('wide'), firmware_image_id: newId(), filter: 'lifecycle_status=enabled' };
  const refused = await limited.call('POST', '/v3/update-campaigns', campaign);
  expect([refused.status, refused.json]).toMatchObject([400, { fields: [{ name: 'group_id' }] }]);
  const moved = await limited.call('PUT', `/v3/update-campaigns/${mine.campaign}`, { group_id: others.group });
  expect(moved.status).toBe(400);

  // A move affects the very next request: the device is visible, or no longer is.
  const see = async (device: string): Promise<number> => (await limited.call('GET', `/v3/devices/${device}`)).status;
  await admin.call('POST', `/v3/device-groups/${mine.group}/devices/add`, { device_id: others.device });
  await admin.call('POST', `/v3/device-groups/${mine.group}/devices/remove`, { device_id: mine.device });
  expect([await see(others.device), await see(mine.device)]).toEqual([200, 404]);
  await admin.call('DELETE', `/v3/device-groups/${mine.group}`);
  expect([await see(others.device), await see(mine.device)]).toEqual([404, 404]);
};
