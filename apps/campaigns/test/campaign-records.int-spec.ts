import { describe, expect, it } from '@jest/globals';
import { Metrics, newId } from '@lanyard/service';
import { eventually, TestClock } from '@lanyard/testing';
import { CampaignRetention } from '../src/campaigns/campaign-retention.js';
import type { CampaignsConfig } from '../src/config.js';
import { openCampaignsMax, retentionBatch, retentionDaysDefault } from '../src/limits.js';
import { DeviceUpdates } from '../src/progress/device-updates.js';
import { selectUpdates, type UpdateRow } from '../src/progress/update-row.js';
import { FirmwareDevice } from './firmware-device.js';
import { accountId, type Body, registered, testSystem } from './test-system.js';

const system = testSystem('campaign-records');

const path = '/v3/update-campaigns';

/** Deletes a part when the test says so, with a clock by which all campaigns ended long ago. */
class SteppedRetention extends CampaignRetention {
  protected override readonly clock = new TestClock(Date.now() + 2 * retentionDaysDefault * 86_400_000);

  takeStep(): Promise<boolean> {
    return this.step();
  }
}

describe('the record', () => {
  it.each([
    [{ concurrency: 0 }, 'concurrency'],
    [{ window: { from: '25:00', to: '01:00' } }, 'window.from'],
    [{ colour: 'red' }, 'colour'],
    [{ delivery: 'post' }, 'delivery'],
    [{ when: 'tomorrow' }, 'when'],
    [{ when: '0000-01-01T00:00:00Z' }, 'when'],
    [{ ends_at: `2027-01-01T00:00:00.${'0'.repeat(150)}Z` }, 'ends_at'],
    [{ filter: '' }, 'filter'],
  ])('400 for %j', async (fields, field) => {
    const image = await system.upload(Buffer.from('x'));
    const body = { name: newId(), firmware_image_id: image.id, ...fields };
    const { status, body: refused } = await system.call('POST', path, body);
    expect([status, refused.fields[0]?.name]).toEqual([400, field]);
  });

  it('404 for a package of another account', async () => {
    const { id } = await system.campaign();
    const { body } = await system.call('GET', `${path}/${id}`);
    const other = { name: newId(), firmware_image_id: body['firmware_image_id'] };
    expect((await system.call('POST', path, other, { account: newId() })).status).toBe(404);
  });

  it('is changed as a whole in a draft, and in part after the start', async () => {
    const when = new Date(Date.now() + 3_600_000).toISOString();
    const { id, etag } = await system.campaign({ when });
    const put = (body: object, headers = {}) => system.call('PUT', `${path}/${id}`, body, { headers });
    expect((await put({ concurrency: 5 }, { 'if-match': 'x' })).status).toBe(412);
    const changed = await put(
      { filter: 'state=registered', window: { from: '01:00', to: '02:00' } },
      { 'if-match': etag },
    );
    expect(changed.body).toMatchObject({ filter: 'state=registered', window: { from: '01:00', to: '02:00' } });
    expect((await put(changed.body)).status).toBe(200);
    await system.call('POST', `${path}/${id}/start`);
    expect((await put({ filter: null })).body.fields[0]?.name).toBe('filter');
    // What is not changed is no late change: the time in milliseconds, and the record as clients send it back.
    expect((await put({ when })).status).toBe(200);
    expect((await put({ when: new Date(Date.parse(when) + 1).toISOString() })).body.fields[0]?.name).toBe('when');
    const whole = (await system.call('GET', `${path}/${id}`)).body;
    expect((await put({ ...whole, concurrency: 6 })).body).toMatchObject({ concurrency: 6, state: 'scheduled' });
    expect((await put({ concurrency: 7, window: null })).body).toMatchObject({ concurrency: 7, window: null });
    expect((await system.call('DELETE', `${path}/${id}`)).status).toBe(409);
    const stopping = (await system.call('POST', `${path}/${id}/abort`)).body;
    await system.eventually(id, 'aborted');
    expect((await put(stopping, { 'if-match': stopping.etag })).status).toBe(412);
    expect((await put({ concurrency: 8 })).status).toBe(409);
    expect((await system.call('DELETE', `${path}/${id}`)).status).toBe(204);
    expect((await system.call('GET', `${path}/${id}`)).status).toBe(404);
  });

  it('ends after its start, and at most 90 days later, whatever is changed', async () => {
    const hour = 3_600_000;
    const iso = (ms: number): string => new Date(ms).toISOString();
    const { id } = await system.campaign({ when: iso(Date.now() + 2 * hour), ends_at: iso(Date.now() + hour) });
    const refused = await system.call('POST', `${path}/${id}/start`);
    expect([refused.status, refused.body.fields[0]?.name]).toEqual([400, 'ends_at']);
    expect((await system.call('PUT', `${path}/${id}`, { ends_at: null })).status).toBe(200);
    const scheduled = (await system.call('POST', `${path}/${id}/start`)).body;
    const daysOf = (campaign: Body): number =>
      (Date.parse(String(campaign['ends_at'])) - Date.parse(String(campaign['when']))) / (24 * hour);
    expect(daysOf(scheduled)).toBe(90);
    for (const endsAt of [null, iso(Date.now() + 1_000 * 24 * hour)])
      expect(daysOf((await system.call('PUT', `${path}/${id}`, { ends_at: endsAt })).body)).toBe(90);
    const early = await system.call('PUT', `${path}/${id}`, { ends_at: scheduled['when'] });
    expect([early.status, early.body.fields[0]?.name]).toEqual([400, 'ends_at']);
  });

  it('is refused where 100 are open; a draft is one of them, and its deletion makes room, not its abort', async () => {
    const account = newId();
    const call = (method: string, at: string, body?: unknown) => system.call(method, at, body, { account });
    const { body: image } = await call('POST', '/v3/firmware-images?name=drafts&version=2', Buffer.from('x'));
    const create = () => call('POST', path, { name: newId(), firmware_image_id: image.id });
    const { id } = (await create()).body;
    for (let n = 1; n < openCampaignsMax; n++) expect((await create()).status).toBe(201);
    const { status, body: refused } = await create();
    expect([status, refused['type']]).toEqual([409, 'limit_exceeded']);
    expect(refused['message']).toContain('delete a draft');
    expect((await call('POST', `${path}/${id}/abort`)).status).toBe(409);
    expect((await create()).status).toBe(409);
    expect((await call('DELETE', `${path}/${id}`)).status).toBe(204);
    expect((await create()).status).toBe(201);
  });

  it('belongs to its account', async () => {
    const { id } = await system.campaign();
    const other = { account: newId() };
    for (const [method, at] of [
      ['GET', ''],
      ['GET', '/devices'],
      ['GET', '/progress'],
      ['POST', '/start'],
      ['DELETE', ''],
    ] as const)
      expect((await system.call(method, `${path}/${id}${at}`, undefined, other)).status).toBe(404);
    expect((await system.call('GET', path, undefined, other)).body.data).toEqual([]);
  });

  it('for a device group is what a key limited to it may see and change; others do not exist for it', async () => {
    const [mine, others] = [newId(), newId()];
    const ids = [(await system.campaign({ group_id: mine })).id, (await system.campaign({ group_id: others })).id];
    const whole = (await system.campaign()).id;
    const limited = { deviceGroups: [mine] };
    const ask = (method: string, at: string, body?: object) => system.call(method, path + at, body, limited);
    const listed = (await ask('GET', '?limit=1000&include=total_count')).body;
    expect([listed.data.map(({ id }) => id), listed['total_count']]).toEqual([[ids[0]], 1]);
    for (const id of [ids[1], whole])
      for (const [method, at, body] of [
        ['GET', ''],
        ['PUT', '', { description: 'x' }],
        ['GET', '/devices'],
        ['GET', '/progress'],
        ...['dry-run', 'start', 'pause', 'resume', 'abort'].map((action) => ['POST', `/${action}`] as const),
        ['DELETE', ''],
      ] as [string, string, object?][])
        expect([method, at, (await ask(method, `/${id}${at}`, body)).status]).toEqual([method, at, 404]);
    expect((await ask('GET', `/${ids[0]}/progress`)).status).toBe(200);
    const { body: image } = await ask('GET', `/${ids[0]}`);
    const wanted = { name: newId(), firmware_image_id: image['firmware_image_id'] };
    for (const groupId of [others, null, undefined]) {
      const refused = await ask('POST', '', { ...wanted, filter: 'state=registered', group_id: groupId });
      expect([refused.status, refused.body.fields[0]?.name]).toEqual([400, 'group_id']);
    }
    for (const groupId of [others, null])
      expect((await ask('PUT', `/${ids[0]}`, { group_id: groupId })).body.fields[0]?.name).toBe('group_id');
    expect((await ask('POST', '', { ...wanted, group_id: mine })).status).toBe(201);
  });
});

describe('a campaign that has ended', () => {
  const devices = 2 * retentionBatch + 1;

  /** As if it had ended so many days ago. */
  const ended = async (daysAgo: number): Promise<Body> => {
    const campaign = await system.campaign();
    await system.call('POST', `${path}/${campaign.id}/start`);
    await system.call('POST', `${path}/${campaign.id}/abort`);
    await system.eventually(campaign.id, 'aborted');
    await system.database().query(
      `INSERT INTO campaigns.campaign_devices (campaign_id, device_id, account_id, state, added_at, updated_at)
       SELECT $1, 'd' || n, $2, 'stopped', now(), now() FROM generate_series(1, $3::int) n`,
      [campaign.id, accountId, devices],
    );
    const sql = `UPDATE campaigns.update_campaigns SET finished_at = now() - $2 * interval '1 day' WHERE id = $1`;
    await system.database().query(sql, [campaign.id, daysAgo]);
    return campaign;
  };

  const rowsOf = async ({ id }: Body): Promise<number> => {
    const sql = 'SELECT count(*)::int AS n FROM campaigns.campaign_devices WHERE campaign_id = $1';
    const [counted] = (await system.database().query(sql, [id])) as [{ n: number }];
    return counted.n;
  };

  it('is deleted with its devices when its time is over, and is never seen in part', async () => {
    const old = await ended(retentionDaysDefault + 1);
    const recent = await ended(retentionDaysDefault - 1);
    const progress = ({ id }: Body) => system.call('GET', `${path}/${id}/progress`);
    expect((await progress(old)).body['devices']).toBe(devices);
    // Its owner knows the id, too.
    await system.campaign({ name: old.id });
    const config = { retentionDays: retentionDaysDefault } as CampaignsConfig;
    const retention = new SteppedRetention(system.database(), config);
    expect(await retention.takeStep()).toBe(true);
    // In part: no reader sees the rest.
    expect(await rowsOf(old)).toBe(devices - retentionBatch);
    expect((await progress(old)).status).toBe(404);
    expect((await system.call('GET', `${path}/${old.id}`)).status).toBe(404);
    const wanted = { name: old['name'], firmware_image_id: old['firmware_image_id'] };
    expect((await system.call('POST', path, wanted)).status).toBe(201);
    for (const replica of [0, 1]) system.part(CampaignRetention, replica).wake();
    await eventually(async () => expect(await rowsOf(old)).toBe(0));
    expect(await retention.takeStep()).toBe(false);
    expect((await progress(old)).status).toBe(404);
    expect([(await progress(recent)).body['devices'], await rowsOf(recent)]).toEqual([devices, devices]);
  });

  it.each(['progress', 'devices'])('is not shown in part when it is deleted while its %s are read', async (what) => {
    const { id } = await ended(0);
    const { asked } = await system.database().transaction(async (manager) => {
      await manager.query('LOCK TABLE campaigns.campaign_devices');
      const asked = system.call('GET', `${path}/${id}/${what}`);
      // The services look for devices that are due, too.
      await eventually(async () => {
        const waiting: unknown[] = await system.database().query(
          `SELECT pid FROM pg_locks JOIN pg_stat_activity USING (pid)
           WHERE NOT granted AND relation = 'campaigns.campaign_devices'::regclass AND mode = 'AccessShareLock'
             AND query NOT LIKE '%d.due_at <= now()%'`,
        );
        expect(waiting).not.toEqual([]);
      });
      await manager.query('UPDATE campaigns.update_campaigns SET removed = true, name = id WHERE id = $1', [id]);
      return { asked };
    });
    expect((await asked).status).toBe(404);
  });
});

/** A campaign that waits for the first page of its devices. */
const selecting = async (): Promise<{ id: string; selectionId: string }> => {
  const { id } = await system.campaign();
  await system.call('POST', `${path}/${id}/start`);
  await system.eventually(id, 'running');
  const sql = 'SELECT selection_id FROM campaigns.update_campaigns WHERE id = $1';
  const [begun] = (await system.database().query(sql, [id])) as [{ selection_id: string }];
  // It would else be the newest one of a later test.
  await eventually(() => system.selections().some(({ selectionId }) => selectionId === begun.selection_id));
  return { id, selectionId: begun.selection_id };
};

const away = (deviceId: string) => ({ ...registered(deviceId), isRegistered: false });

describe('since it was selected', () => {
  it('a deleted device is not in the campaign when its page is read, and nothing is kept of it', async () => {
    const { id, selectionId } = await selecting();
    const [deleted, other] = [newId(), newId()];
    await system.takeLifecycle(deleted, 'deleted');
    await system.takePage(selectionId, { devices: [deleted, other].map(away) });
    expect((await system.devicesOf(id)).map((device) => device['device_id'])).toEqual([other]);
    const known = 'SELECT FROM campaigns.device_sessions WHERE device_id = $1';
    expect(await system.database().query<unknown[]>(known, [deleted])).toEqual([]);
    await system.tellLifecycle(other, 'deleted');
    await system.eventually(id, 'done');
  });

  it('a suspended device fails when its page is read, unless the suspension is over', async () => {
    const [suspended, resumed, before, twice] = [newId(), newId(), newId(), newId()];
    await system.takeLifecycle(before, 'suspended', 7);
    await system.takeLifecycle(before, 'resumed', 8);
    const { id, selectionId } = await selecting();
    await system.takeLifecycle(suspended, 'suspended');
    await system.takeLifecycle(resumed, 'suspended', 7);
    await system.takeLifecycle(resumed, 'resumed', 8);
    // The operator has resumed it, and the system has not.
    await system.takeLifecycle(twice, 'suspended', 7);
    await system.takeLifecycle(twice, 'resumed', 8, 'blocked');
    // The fact comes again.
    await system.takeLifecycle(before, 'suspended', 7);
    await system.takePage(selectionId, { devices: [suspended, resumed, before, twice].map(away) });
    const states = Object.fromEntries((await system.devicesOf(id)).map((d) => [d['device_id'], d['state']]));
    expect(states).toEqual({ [suspended]: 'failed', [resumed]: 'waiting', [before]: 'waiting', [twice]: 'failed' });
    for (const waiting of [resumed, before]) await system.tellLifecycle(waiting, 'deleted');
    await system.eventually(id, 'done');
  });

  it('a device that its page calls suspended does not fail if it was resumed before the page is read', async () => {
    const [resumed, again, still] = [newId(), newId(), newId()];
    for (const deviceId of [resumed, again, still]) await system.takeLifecycle(deviceId, 'suspended', 7);
    const { id, selectionId } = await selecting();
    for (const deviceId of [resumed, again]) await system.takeLifecycle(deviceId, 'resumed', 8);
    await system.takeLifecycle(again, 'suspended', 9);
    const blocked = (deviceId: string) => ({ ...away(deviceId), lifecycleStatus: 'blocked' as const });
    await system.takePage(selectionId, { devices: [resumed, again, still].map(blocked) });
    const states = Object.fromEntries((await system.devicesOf(id)).map((d) => [d['device_id'], d['state']]));
    expect(states).toEqual({ [resumed]: 'waiting', [again]: 'failed', [still]: 'failed' });
    await system.tellLifecycle(resumed, 'deleted');
    await system.eventually(id, 'done');
  });

  it('a deleted device fails, also if its directory was restored and counts from an earlier revision on', async () => {
    const { id, selectionId } = await selecting();
    const deleted = newId();
    await system.takePage(selectionId, { devices: [away(deleted)] });
    await system.takeLifecycle(deleted, 'resumed', 8);
    await system.takeLifecycle(deleted, 'deleted', 7);
    await system.eventually(id, 'done');
    expect(await system.devicesOf(id)).toEqual([
      expect.objectContaining({ state: 'failed', reason: 'the device was deleted' }),
    ]);
  });
});

it('a device counts as finished once: not when the transaction that finishes it fails', async () => {
  const { id, selectionId } = await selecting();
  await system.takePage(selectionId, { devices: [away(newId())] });
  const counts = (): Promise<string> =>
    system.part(Metrics).registry.getSingleMetricAsString('lanyard_campaigns_devices_finished_total');
  const finish = (then: () => void): Promise<void> =>
    system.database().transaction(async (manager) => {
      const rowsSql = `${selectUpdates} WHERE d.campaign_id = $1 FOR UPDATE OF d`;
      const rows = await manager.query<UpdateRow[]>(rowsSql, [id]);
      const end = { kind: 'ended', state: 'failed', code: 'SYS_111', reason: 'broken' } as const;
      await system.part(DeviceUpdates).apply(manager, rows, () => end);
      then();
    });
  const before = await counts();
  const fail = (): never => {
    throw new Error('PostgreSQL is away');
  };
  await expect(finish(fail)).rejects.toThrow('PostgreSQL is away');
  expect(await counts()).toBe(before);
  await finish(() => undefined);
  expect(await counts()).not.toBe(before);
  await system.eventually(id, 'done');
});

describe('a device whose attempt has failed', () => {
  const deviceThatEnds = (state: number, result: number): FirmwareDevice => {
    const device = new FirmwareDevice(newId(), '2');
    device.downloadEnds = { state, result };
    system.connect(device);
    return device;
  };

  const startedFor = async (fields: object, ...devices: FirmwareDevice[]): Promise<string> => {
    const { id } = await system.campaign(fields);
    const seen = system.selections().length;
    await system.call('POST', `${path}/${id}/start`);
    await eventually(() => expect(system.selections().length).toBeGreaterThan(seen));
    await system.select(devices.map(({ deviceId }) => registered(deviceId)));
    return id;
  };

  it('may still update when the campaign stops because too many devices fail', async () => {
    // Unsupported package type: no other attempt. Integrity check failed: another one.
    const [broken, tried] = [deviceThatEnds(0, 6), deviceThatEnds(0, 5)];
    const id = await startedFor({ retries: 3, failure_percent_max: 50, failure_count_min: 1 }, broken, tried);
    await system.eventually(id, 'aborted');
    const codes = Object.fromEntries((await system.devicesOf(id)).map((d) => [d['device_id'], d['event_code']]));
    expect(codes).toEqual({ [broken.deviceId]: 'SYS_111', [tried.deviceId]: 'SYS_104' });
  });

  it('has failed for the same reason when the campaign ends before the next attempt', async () => {
    const device = deviceThatEnds(1, 0);
    const id = await startedFor({ retries: 1 }, device);
    const only = async (): Promise<unknown> => (await system.devicesOf(id))[0];
    await eventually(async () => expect(await only()).toMatchObject({ step: 'download' }));
    // So that the second attempt does not begin.
    await system.call('POST', `${path}/${id}/pause`);
    [device.state, device.result] = [0, 5];
    await eventually(async () => expect(await only()).toMatchObject({ state: 'waiting', attempt: 1 }));
    await system.call('PUT', `${path}/${id}`, { ends_at: new Date().toISOString() });
    await system.eventually(id, 'done');
    const reason = 'integrity check failed';
    expect(await only()).toMatchObject({ state: 'failed', event_code: 'SYS_111', reason });
  });

  it('that did not answer could not be reached, also if its registration has expired when the campaign ends', async () => {
    const device = new FirmwareDevice(newId(), '2', () => ({ error: 'TIMEOUT' }));
    system.connect(device);
    const id = await startedFor({ retries: 10 }, device);
    const only = async (): Promise<unknown> => (await system.devicesOf(id))[0];
    await eventually(async () => expect(await only()).toMatchObject({ reason: 'no answer' }));
    // So that no other attempt begins.
    await system.call('POST', `${path}/${id}/pause`);
    await eventually(async () => expect(await only()).toMatchObject({ state: 'waiting' }));
    await system.register(device.deviceId, { change: 'expired' });
    const gone = 'SELECT FROM campaigns.device_sessions WHERE device_id = $1 AND NOT registered';
    await eventually(async () =>
      expect(await system.database().query<unknown[]>(gone, [device.deviceId])).toHaveLength(1),
    );
    await system.call('PUT', `${path}/${id}`, { ends_at: new Date().toISOString() });
    await system.eventually(id, 'done');
    expect(await only()).toMatchObject({ state: 'failed', event_code: 'SYS_100', reason: 'no answer' });
  });
});

describe('several campaigns of the same devices', () => {
  it('never update one of them at once, on two replicas and while answers are missing', async () => {
    const deviceIds = Array.from({ length: 20 }, () => newId());
    const devices = deviceIds.map((deviceId) => {
      let asked = 0;
      return new FirmwareDevice(deviceId, '2', ({ method }) =>
        method !== 'POST' && ++asked % 7 === 0 ? { error: 'TIMEOUT' } : undefined,
      );
    });
    for (const device of devices) system.connect(device);
    const ids: string[] = [];
    for (let n = 0; n < 4; n++) {
      const image = await system.upload(Buffer.from('firmware'), `3.${n}`);
      const { id } = await system.campaign({ firmware_image_id: image.id, retries: 5 });
      ids.push(id);
      const seen = system.selections().length;
      await system.call('POST', `${path}/${id}/start`);
      await eventually(() => expect(system.selections().length).toBeGreaterThan(seen));
      await system.call('POST', `${path}/${id}/pause`);
      await system.select(deviceIds.map(registered));
    }
    await Promise.all(ids.map((id, n) => system.call('POST', `${path}/${id}/resume`, undefined, { replica: n % 2 })));
    for (const id of ids) await system.eventually(id, 'done');
    for (const { commands } of devices) {
      // An attempt begins with the version. Until the next one begins, all commands are of its campaign.
      let campaignId: string | undefined;
      for (const command of commands) {
        if (command.path === '/3/0/3') ({ campaignId } = command);
        expect(command.campaignId).toBe(campaignId);
      }
      const executed = commands.filter(({ method }) => method === 'POST').map((command) => command.campaignId);
      expect(new Set(executed).size).toBe(ids.length);
    }
  });
});
