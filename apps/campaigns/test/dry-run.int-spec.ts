import { describe, expect, it } from '@jest/globals';
import { type DeviceSessionChanged, DeviceSessions, fixtures } from '@lanyard/contracts';
import { newId, systemClock } from '@lanyard/service';
import { eventually, TestClock } from '@lanyard/testing';
import { campaignDevicesMax } from '../src/limits.js';
import { DevicePresence } from '../src/progress/device-presence.js';
import { SelectionPages } from '../src/progress/selection-pages.js';
import { Selections } from '../src/selection/selections.js';
import { accountId, registered, testSystem } from './test-system.js';

const system = testSystem('dry-run');

const path = '/v3/update-campaigns';

const lastSelection = (): string => String(system.selections().at(-1)?.selectionId);

describe('a dry run', () => {
  it('counts devices by what would happen, and sends nothing', async () => {
    const { id } = await system.campaign({ filter: 'state=registered' });
    expect((await system.call('POST', `${path}/${id}/dry-run`)).body.dry_run.state).toBe('running');
    const [ready, away, suspended, asleep] = Array.from({ length: 4 }, () => newId()) as [
      string,
      string,
      string,
      string,
    ];
    await system.fallAsleep(asleep);
    await eventually(() => expect(system.selections().at(-1)).toMatchObject({ accountId, filter: 'state=registered' }));
    const all = [registered(ready), { ...registered(away), isRegistered: false }, registered(asleep)];
    await system.select([...all, { ...registered(suspended), lifecycleStatus: 'blocked' }], 2);
    const forecast = await eventually(async () => {
      const { dry_run: found } = (await system.call('GET', `${path}/${id}`)).body;
      expect(found.state).toBe('done');
      return found;
    });
    expect(forecast).toMatchObject({ devices: 4, ready: 1, not_registered: 1, suspended: 1, asleep: 1, busy: 0 });
    expect(system.commands().filter(({ campaignId }) => campaignId === id)).toEqual([]);
  });

  it('that the directory does not answer says since when', async () => {
    const { id } = await system.campaign();
    const seen = system.selections().length;
    await system.call('POST', `${path}/${id}/dry-run`);
    await eventually(() => system.selections().length > seen);
    const sql = `UPDATE campaigns.update_campaigns SET selection_asked_at = '2024-05-05T05:05:05Z' WHERE id = $1`;
    await system.database().query(sql, [id]);
    const { dry_run: found, reason } = (await system.call('GET', `${path}/${id}`)).body;
    const message = 'the directory has not answered the selection of devices since 2024-05-05T05:05:05.000000Z';
    expect([reason, found]).toEqual([null, expect.objectContaining({ state: 'running', message })]);
    await system.takePage(lastSelection(), {});
    expect((await system.call('GET', `${path}/${id}`)).body.dry_run).not.toHaveProperty('message');
  });

  it.each([
    ['an hour behind', -3_600_000],
    ['two hours ahead', 7_200_000],
  ])('goes by the clock of PostgreSQL, not by that of its replica, which is %s', async (_, byMs) => {
    const parts = [system.part(Selections), system.part(SelectionPages)];
    const [awake, asleep] = [newId(), newId()];
    // Until 50 minutes from now, and until 8 minutes ago.
    await system.fallAsleep(awake, { awakeMs: 3_600_000 });
    await system.fallAsleep(asleep, { awakeMs: 120_000 });
    const { id } = await system.campaign();
    const seen = system.selections().length;
    for (const one of parts) Object.assign(one, { clock: new TestClock(Date.now() + byMs) });
    try {
      const begun = (await system.call('POST', `${path}/${id}/dry-run`)).body.dry_run;
      expect([begun.state, begun['message']]).toEqual(['running', undefined]);
      await eventually(() => system.selections().length > seen);
      await system.takePage(lastSelection(), { devices: [awake, asleep].map(registered) });
    } finally {
      for (const one of parts) Object.assign(one, { clock: systemClock });
    }
    const { dry_run: found } = (await system.call('GET', `${path}/${id}`)).body;
    expect(found).toMatchObject({ state: 'done', devices: 2, ready: 1, asleep: 1 });
  });

  it('leaves out no device whose id is ahead of the clock of the replica', async () => {
    const { id } = await system.campaign();
    const seen = system.selections().length;
    await system.call('POST', `${path}/${id}/dry-run`);
    await eventually(() => system.selections().length > seen);
    const deviceId = newId(Date.now() + 3_600_000);
    expect(String(system.selections().at(-1)?.until) > deviceId).toBe(true);
    await system.takePage(lastSelection(), {});
  });

  it('says why the directory refuses the filter', async () => {
    const { id } = await system.campaign({ filter: 'colour=red' });
    const seen = system.selections().length;
    await system.call('POST', `${path}/${id}/dry-run`);
    await eventually(() => system.selections().length > seen);
    const refusal = { field: 'filter' as const, message: 'colour: Unknown filter' };
    await system.takePage(lastSelection(), { refusal });
    const { dry_run: found } = (await system.call('GET', `${path}/${id}`)).body;
    expect(found).toMatchObject({ state: 'refused', message: refusal.message });
  });

  it('is refused if it selects more devices than a campaign may have', async () => {
    const { id } = await system.campaign();
    const seen = system.selections().length;
    await system.call('POST', `${path}/${id}/dry-run`);
    await eventually(() => system.selections().length > seen);
    await system
      .database()
      .query(
        `UPDATE campaigns.update_campaigns SET dry_run = jsonb_set(dry_run, '{devices}', to_jsonb($2::int)) WHERE id = $1`,
        [id, campaignDevicesMax],
      );
    await system.takePage(lastSelection(), { devices: [registered(newId())] });
    const { dry_run: found } = (await system.call('GET', `${path}/${id}`)).body;
    expect(found).toMatchObject({ state: 'refused', message: 'more than 100000 devices' });
  });

  it('of other devices is forgotten with its pages: after another filter, and by the start', async () => {
    const { id } = await system.campaign({ filter: 'state=registered' });
    const act = async (method: string, at: string, body?: object): Promise<unknown> =>
      (await system.call(method, `${path}/${id}${at}`, body)).body.dry_run;
    const begun = async (): Promise<string> => {
      const seen = system.selections().length;
      await act('POST', '/dry-run');
      await eventually(() => system.selections().length > seen);
      return lastSelection();
    };
    const first = await begun();
    expect(await act('PUT', '', { filter: 'state=registered' })).toMatchObject({ state: 'running' });
    expect(await act('PUT', '', { filter: null })).toBeNull();
    const second = await begun();
    expect(await act('POST', '/start')).toBeNull();
    for (const selectionId of [first, second]) await system.takePage(selectionId, { devices: [registered(newId())] });
    expect([await act('GET', ''), await system.devicesOf(id)]).toEqual([null, []]);
    await act('POST', '/abort');
  });
});

describe('a device whose session has ended', () => {
  it('is not registered by a fact of this session that is stored late', async () => {
    const deviceId = newId();
    const fact = { ...(fixtures(DeviceSessions).valid['registered'] as DeviceSessionChanged), accountId, deviceId };
    const isRegistered = async (...changes: DeviceSessionChanged['change'][]): Promise<boolean> => {
      for (const change of changes) await system.part(DevicePresence).applySessions([{ ...fact, change }]);
      const sql = 'SELECT registered FROM campaigns.device_sessions WHERE device_id = $1';
      const [row] = (await system.database().query(sql, [deviceId])) as [{ registered: boolean }];
      return row.registered;
    };
    expect(await isRegistered('registered', 'updated')).toBe(true);
    expect(await isRegistered('expired', 'updated')).toBe(false);
    fact.epoch++;
    expect(await isRegistered('updated')).toBe(true);
  });
});
