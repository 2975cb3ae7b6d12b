import { expect } from '@jest/globals';
import { eventually, holdRows } from '@lanyard/testing';
import type { Application, Reply } from './application.ts';
import type { RunningSystem } from './system.ts';

/** The service changes this many devices in a transaction: one is done, one is running, one is still to do. */
const atOnce = 500;
const devices = 3 * atOnce;

const filter = 'custom_attributes__site=bulk';
const chosen = `filter=${encodeURIComponent(filter)}`;

interface Item {
  id: string;
  device_id?: string;
  data: Record<string, string>;
}

/** Every item of a list. */
const all = async (app: Application, path: string): Promise<Item[]> => {
  const found: Item[] = [];
  for (let after = ''; ;) {
    const { json } = await app.call('GET', `${path}&limit=1000${after}`);
    found.push(...json.data);
    if (!json.has_more) return found;
    after = `&after=${found.at(-1)?.id}`;
  }
};

const bulk = (app: Application, action: 'suspend' | 'resume', more: object = {}): Promise<Reply> =>
  app.call('POST', '/v3/device-suspensions', { action, category: 'recalled', filter, ...more });

/** Creates devices. Returns their ids in the order in which a call processes them. */
const created = async (app: Application): Promise<string[]> => {
  const rows = Array.from({ length: devices }, (_, n) => `bulk-${n},bulk\n`);
  const table = `endpoint_name,custom_attributes__site\n${rows.join('')}`;
  const { json } = await app.call('POST', '/v3/device-imports', table, { 'content-type': 'text/csv' });
  await eventually(async () => {
    const { status, errors_count: errors } = (await app.call('GET', `/v3/device-imports/${json.id}`)).json;
    expect({ status, errors }).toEqual({ status: 'completed', errors: 0 });
  });
  return (await all(app, `/v3/devices?${chosen}`)).map(({ id }) => id).sort();
};

const eachOnce = async (app: Application, code: string, ids: readonly string[]): Promise<void> => {
  const events = await all(app, `/v3/device-events?event_code=${code}`);
  expect(events.map((event) => event.device_id).sort()).toEqual(ids);
};

/** How many devices the audit entries of a code mention. */
const audited = async (app: Application, code: string): Promise<number> => {
  const entries = await all(app, `/v3/device-events?event_code=${code}`);
  return entries.reduce((sum, { data }) => sum + Number(data['changed_count']), 0);
};

/** The registry is killed in the second of three transactions of a call; the call is repeated after it has restarted. */
export const interruptedSuspension = async (app: Application, system: RunningSystem): Promise<void> => {
  const ids = await created(app);
  expect(ids).toHaveLength(devices);
  const toDo = async (): Promise<number> => (await bulk(app, 'suspend', { dry_run: true })).json.changed_count;

  const letGo = await holdRows(
    system.infrastructureUrls.databaseUrl,
    'SELECT 1 FROM registry.devices WHERE id = $1 FOR UPDATE',
    [ids[atOnce + atOnce / 2]],
  );
  try {
    const interrupted = bulk(app, 'suspend');
    await eventually(async () => expect(await toDo()).toBe(devices - atOnce));
    system.signal('registry-0', 'SIGKILL');
    expect((await interrupted).status).toBeGreaterThanOrEqual(500);
  } finally {
    await letGo();
  }
  await system.restart('registry-0');
  await eventually(async () => expect(await toDo()).toBe(devices - atOnce));

  const { status, json } = await bulk(app, 'suspend');
  expect(status).toBe(200);
  expect(json).toMatchObject({ matched_count: devices, changed_count: devices - atOnce, has_more: false });
  expect((await bulk(app, 'suspend')).json.changed_count).toBe(0);
  expect(await all(app, `/v3/devices?${chosen}&operator_suspended=true`)).toHaveLength(devices);

  // Events of a device arrive in order: once all resumptions have arrived, no earlier event follows.
  expect((await bulk(app, 'resume')).json.changed_count).toBe(devices);
  await eventually(() => eachOnce(app, 'SYS_202', ids), { intervalMs: 500 });
  await eachOnce(app, 'SYS_201', ids);
  await eventually(async () => expect(await audited(app, 'SYS_551')).toBe(devices));
  expect(await audited(app, 'SYS_550')).toBe(devices);
};
