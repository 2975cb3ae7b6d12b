import { describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { FirmwareDevice } from './firmware-device.js';
import { SoftwareDevice } from './software-device.js';
import { registered, testSystem } from './test-system.js';

const system = testSystem('campaigns');

const path = '/v3/update-campaigns';

/** First pages of selections. A request for a later page may arrive when the test that caused it has ended. */
const begunSelections = () => system.selections().filter(({ page }) => page === 0);

const started = async (fields: object = {}): Promise<string> => {
  const { id } = await system.campaign(fields);
  const seen = begunSelections().length;
  const { status, body } = await system.call('POST', `${path}/${id}/start`);
  expect([status, body.state]).toEqual([200, 'scheduled']);
  await eventually(() => system.state(id).then((state) => state === 'running'));
  await eventually(() => begunSelections().length > seen);
  return id;
};

const lastSelection = (): string => String(begunSelections().at(-1)?.selectionId);

const progressOf = async (id: string) => (await system.call('GET', `${path}/${id}/progress`)).body;

/** Codes of the entries of each device in a campaign. */
const codesOf = (campaignId: string, deviceId: string): string[] =>
  system
    .events()
    .filter((event) => event.deviceId === deviceId && event.data?.['campaign_id'] === campaignId)
    .map(({ eventCode }) => eventCode);

const download = (device: FirmwareDevice, headers: Record<string, string> = {}, method = 'GET') =>
  system.call(method, new URL(device.uri.replace(/^coap:/, 'http:')).pathname, undefined, { headers });

describe('a campaign', () => {
  it('updates its devices, at most so many at once, and ends', async () => {
    const id = await started({ concurrency: 3 });
    const ids = Array.from({ length: 8 }, () => newId()).toSorted();
    for (const deviceId of ids) system.connect(new FirmwareDevice(deviceId, '2'));
    await system.select(ids.map(registered), 3);
    await system.eventually(id, 'done');
    const devices = await system.devicesOf(id);
    expect(devices.map((device) => device['device_id'])).toEqual(ids);
    expect(new Set(devices.map(({ state, event_code: code }) => `${state} ${code}`))).toEqual(
      new Set(['succeeded SYS_112']),
    );
    for (const deviceId of ids) await eventually(() => expect(codesOf(id, deviceId)).toEqual(['SYS_108', 'SYS_112']));
    const body = await progressOf(id);
    expect(body).toMatchObject({ devices: 8, succeeded: 8, waiting: 0, is_selection_complete: true });
    expect(system.mostAtOnce(id)).toBeLessThanOrEqual(3);
  });

  it('each device ends in one state, by what it does', async () => {
    const id = await started();
    const [good, upToDate, broken, without, suspended, blocked] = Array.from({ length: 6 }, () => newId()) as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    system.connect(new FirmwareDevice(good, '2'));
    system.connect(Object.assign(new FirmwareDevice(upToDate, '2'), { version: '2' }));
    system.connect(Object.assign(new FirmwareDevice(broken, '2'), { downloadEnds: { state: 0, result: 5 } }));
    system.connect(
      new FirmwareDevice(without, '2', ({ path: at }) => (at === '/5/0' ? { error: 'RESOURCE_NOT_FOUND' } : undefined)),
    );
    system.connect(new FirmwareDevice(blocked, '2', () => ({ error: 'DEVICE_BLOCKED' })));
    const selected = [good, upToDate, broken, without, blocked].map(registered);
    await system.select([...selected, { ...registered(suspended), lifecycleStatus: 'blocked' }]);
    await system.eventually(id, 'done');
    const ends = Object.fromEntries(
      (await system.devicesOf(id)).map((d) => [d['device_id'], [d['state'], d['reason']]]),
    );
    expect(ends).toEqual({
      [good]: ['succeeded', null],
      [upToDate]: ['skipped', null],
      [broken]: ['failed', 'integrity check failed'],
      [without]: ['failed', 'object 5 cannot be read: RESOURCE_NOT_FOUND'],
      [suspended]: ['failed', 'the device is suspended'],
      [blocked]: ['failed', 'the device is suspended'],
    });
    for (const [deviceId, code] of [
      [good, 'SYS_112'],
      [upToDate, 'SYS_110'],
      [broken, 'SYS_111'],
    ] as const)
      await eventually(() => expect(codesOf(id, deviceId)).toEqual(['SYS_108', code]));
    const failed = await system.call('GET', `${path}/${id}/devices?state=failed`);
    expect(failed.body.data).toHaveLength(4);
  });

  it('updates a device whose version ends in a NUL, as texts in C do', async () => {
    const id = await started();
    const deviceId = newId();
    system.connect(Object.assign(new FirmwareDevice(deviceId, '2\0'), { version: '1\0' }));
    await system.select([registered(deviceId)]);
    await system.eventually(id, 'done');
    const [device] = await system.devicesOf(id);
    expect(device).toMatchObject({ state: 'succeeded', previous_version: '1' });
  });

  it('waits for devices that are away, and for those in queue mode until they wake up', async () => {
    const id = await started();
    const [away, sleeping] = [newId(), newId()];
    await system.fallAsleep(sleeping);
    for (const deviceId of [away, sleeping]) system.connect(new FirmwareDevice(deviceId, '2'));
    const other = newId();
    system.connect(new FirmwareDevice(other, '2'));
    await system.select([{ ...registered(away), isRegistered: false }, registered(sleeping), registered(other)]);
    await eventually(async () => expect((await progressOf(id))['succeeded']).toBe(1));
    expect(system.commands().filter(({ deviceId }) => deviceId === away || deviceId === sleeping)).toEqual([]);
    await system.register(away);
    await system.register(sleeping, { queueMode: true, change: 'updated' });
    await system.eventually(id, 'done');
  });

  it('takes a device in queue mode to be awake for as long as its session says', async () => {
    const id = await started();
    const [patient, brief] = [newId(), newId()];
    for (const deviceId of [patient, brief]) system.connect(new FirmwareDevice(deviceId, '2'));
    const occurredAt = new Date(Date.now() - 600_000).toISOString();
    await system.register(patient, { queueMode: true, awakeMs: 3_600_000, occurredAt });
    await system.register(brief, { queueMode: true, awakeMs: 2_000, occurredAt });
    const sql = 'SELECT device_id FROM campaigns.device_sessions WHERE device_id = ANY($1)';
    await eventually(async () => expect(await system.database().query(sql, [[patient, brief]])).toHaveLength(2));
    await system.select([registered(patient), registered(brief)]);
    await eventually(async () => expect((await progressOf(id))['succeeded']).toBe(1));
    expect(system.commands().some(({ deviceId }) => deviceId === brief)).toBe(false);
    await system.register(brief, { queueMode: true, change: 'updated', awakeMs: 60_000 });
    await system.eventually(id, 'done');
  });

  it('takes a device behind a gateway in queue mode to be awake whenever its gateway is', async () => {
    const id = await started();
    const [gateway, behind, other] = [newId(), newId(), newId()];
    for (const deviceId of [behind, other]) system.connect(new FirmwareDevice(deviceId, '2'));
    await system.fallAsleep(gateway);
    await system.fallAsleep(behind, { hostGateway: gateway });
    await system.select([registered(behind), registered(other)]);
    // The campaign has had its turn, in which it would have started both.
    await eventually(async () => expect((await progressOf(id))['succeeded']).toBe(1));
    expect(system.commands().some(({ deviceId }) => deviceId === behind)).toBe(false);
    // The gateway may sleep again before the next turn of the campaign.
    const sql = `UPDATE campaigns.update_campaigns SET tick_at = clock_timestamp() + interval '58 seconds' WHERE id = $1`;
    await system.database().query(sql, [id]);
    await system.register(gateway, { queueMode: true, change: 'updated', awakeMs: 50_000 });
    await system.eventually(id, 'done');
  });

  it('tickets open the package while the device downloads, with ranges, and no longer', async () => {
    const id = await started();
    const deviceId = newId();
    const device = new FirmwareDevice(deviceId, '2');
    device.downloadEnds = { state: 1, result: 0 };
    system.connect(device);
    await system.select([registered(deviceId)]);
    await eventually(() => expect(device.uri).toMatch(/^coap:\/\/lanyard\.example:5683\/downloads\/t-[0-9a-f]{32}$/));
    const whole = await download(device);
    expect([whole.status, whole.bytes.toString()]).toEqual([200, 'firmware']);
    expect(whole.headers.get('x-lanyard-device')).toBe(deviceId);
    const part = await download(device, { range: 'bytes=2-4' });
    expect([part.status, part.bytes.toString()]).toEqual([206, 'rmw']);
    expect(part.headers.get('content-range')).toBe('bytes 2-4/8');
    const otherVersion = { range: 'bytes=2-4', 'if-range': '"x"' };
    expect((await download(device, otherVersion)).status).toBe(200);
    const head = await download(device, {}, 'HEAD');
    expect([head.status, head.headers.get('content-length'), head.bytes.length]).toEqual([200, '8', 0]);
    expect((await download(device, { range: 'bytes=8-' }, 'HEAD')).status).toBe(200);
    const behind = await download(device, { range: 'bytes=8-' });
    expect([behind.status, behind.headers.get('content-range')]).toEqual([416, 'bytes */8']);
    expect((await system.call('GET', `/downloads/t-${'0'.repeat(32)}`)).status).toBe(404);
    device.state = 2;
    await system.eventually(id, 'done');
    expect((await download(device)).status).toBe(404);
  });

  it('never updates a device that another campaign updates', async () => {
    const deviceId = newId();
    const device = new FirmwareDevice(deviceId, '2');
    device.downloadEnds = { state: 1, result: 0 };
    system.connect(device);
    const first = await started();
    await system.select([registered(deviceId)]);
    await eventually(() => expect(device.uri).not.toBe(''));
    const second = await started();
    await system.select([registered(deviceId)]);
    await eventually(async () => expect((await system.devicesOf(second))[0]).toMatchObject({ state: 'waiting' }));
    device.state = 2;
    await system.eventually(first, 'done');
    await system.eventually(second, 'done');
    expect((await system.devicesOf(second))[0]).toMatchObject({ state: 'skipped' });
  });

  it('that is paused starts no device until it is resumed', async () => {
    const id = await started();
    expect((await system.call('POST', `${path}/${id}/pause`)).body.state).toBe('paused');
    const deviceId = newId();
    system.connect(new FirmwareDevice(deviceId, '2'));
    await system.select([registered(deviceId)]);
    await eventually(async () => expect((await progressOf(id))['is_selection_complete']).toBe(true));
    // One that began later has ended: this one has had its turns, too.
    const later = await started();
    const other = new FirmwareDevice(newId(), '2');
    system.connect(other);
    await system.select([registered(other.deviceId)]);
    await system.eventually(later, 'done');
    expect((await system.devicesOf(id))[0]).toMatchObject({ state: 'waiting' });
    expect((await system.call('POST', `${path}/${id}/start`)).status).toBe(409);
    expect((await system.call('POST', `${path}/${id}/resume`)).body.state).toBe('running');
    await system.eventually(id, 'done');
  });

  it('that is aborted says what may still happen', async () => {
    const id = await started({ concurrency: 1 });
    const [downloading, waiting] = [newId(), newId()].toSorted() as [string, string];
    const device = new FirmwareDevice(downloading, '2');
    device.downloadEnds = { state: 1, result: 0 };
    system.connect(device);
    await system.select([registered(downloading), registered(waiting)]);
    await eventually(() => expect(device.uri).not.toBe(''));
    await eventually(async () => expect((await system.devicesOf(id))[0]).toMatchObject({ step: 'download' }));
    expect((await system.call('POST', `${path}/${id}/abort`)).body.state).toBe('stopping');
    await system.eventually(id, 'aborted');
    const codes = Object.fromEntries((await system.devicesOf(id)).map((d) => [d['device_id'], d['event_code']]));
    expect(codes).toEqual({ [downloading]: 'SYS_104', [waiting]: 'SYS_103' });
    expect((await download(device)).status).toBe(404);
  });

  it('that is aborted between two attempts says that the device was offered the package', async () => {
    const id = await started({ retries: 1 });
    const device = new FirmwareDevice(newId(), '2');
    device.downloadEnds = { state: 1, result: 0 };
    system.connect(device);
    await system.select([registered(device.deviceId)]);
    await eventually(async () => expect((await system.devicesOf(id))[0]).toMatchObject({ step: 'download' }));
    // So that the second attempt does not begin.
    expect((await system.call('POST', `${path}/${id}/pause`)).body.state).toBe('paused');
    [device.state, device.result] = [0, 5];
    const failed = { state: 'waiting', attempt: 1, reason: 'integrity check failed' };
    await eventually(async () => expect((await system.devicesOf(id))[0]).toMatchObject(failed));
    await system.call('POST', `${path}/${id}/abort`);
    await system.eventually(id, 'aborted');
    expect((await system.devicesOf(id))[0]).toMatchObject({ state: 'stopped', event_code: 'SYS_104' });
  });

  it('that is aborted in the middle of its selection takes no more devices', async () => {
    const id = await started();
    const away = () => ({ ...registered(newId()), isRegistered: false });
    const selectionId = lastSelection();
    await system.takePage(selectionId, { devices: [away()], hasMore: true });
    await system.call('POST', `${path}/${id}/abort`);
    await system.eventually(id, 'aborted');
    await system.takePage(selectionId, { page: 1, devices: [away()], hasMore: true });
    expect((await system.devicesOf(id)).map((device) => device['event_code'])).toEqual(['SYS_103']);
    expect((await progressOf(id))['is_selection_complete']).toBe(true);
  });

  it('whose selection is not answered says since when, until it is', async () => {
    const id = await started();
    const record = async () => (await system.call('GET', `${path}/${id}`)).body;
    expect((await record())['reason']).toBeNull();
    const sql = `UPDATE campaigns.update_campaigns SET selection_asked_at = '2024-05-05T05:05:05Z' WHERE id = $1`;
    await system.database().query(sql, [id]);
    const late = await record();
    expect(late['reason']).toBe(
      'the directory has not answered the selection of devices since 2024-05-05T05:05:05.000000Z',
    );
    await system.takePage(lastSelection(), { devices: [{ ...registered(newId()), isRegistered: false }] });
    expect((await record())['reason']).toBeNull();
    expect((await system.call('PUT', `${path}/${id}`, { ...late, concurrency: 7 })).status).toBe(200);
    await system.call('POST', `${path}/${id}/abort`);
    await system.eventually(id, 'aborted');
  });

  it('whose selection fails in the middle says so of each device', async () => {
    const id = await started();
    const selectionId = lastSelection();
    const refusal = { field: 'group_id' as const, message: 'No such device group.' };
    await system.takePage(selectionId, { devices: [{ ...registered(newId()), isRegistered: false }], hasMore: true });
    await system.takePage(selectionId, { page: 1, refusal });
    await system.eventually(id, 'aborted');
    const ends = (await system.devicesOf(id)).map((device) => [device['event_code'], device['reason']]);
    expect(ends).toEqual([['SYS_103', `campaign aborted: ${refusal.message}`]]);
  });

  it('stops when too many devices fail', async () => {
    const id = await started({ concurrency: 1, failure_percent_max: 50, failure_count_min: 2 });
    const ids = Array.from({ length: 6 }, () => newId()).toSorted();
    for (const deviceId of ids) {
      const device = new FirmwareDevice(deviceId, '2');
      device.downloadEnds = { state: 0, result: 6 };
      system.connect(device);
    }
    await system.select(ids.map(registered));
    await system.eventually(id, 'aborted');
    const codes = (await system.devicesOf(id)).map((device) => device['event_code']);
    expect(codes.filter((code) => code === 'SYS_111')).toHaveLength(2);
    expect(codes.filter((code) => code === 'SYS_109')).toHaveLength(4);
  });

  it('does not stop because of suspended devices, whose updates never begin', async () => {
    const id = await started({ failure_percent_max: 50, failure_count_min: 2 });
    const good = newId();
    system.connect(new FirmwareDevice(good, '2'));
    const suspended = Array.from({ length: 3 }, () => ({
      ...registered(newId()),
      lifecycleStatus: 'blocked' as const,
    }));
    await system.select([registered(good), ...suspended]);
    await system.eventually(id, 'done');
    const body = await progressOf(id);
    expect(body).toMatchObject({ succeeded: 1, failed: 3, stopped: 0 });
  });

  it('ends for devices that it has not reached', async () => {
    const id = await started();
    const [away, asleep] = [newId(), newId()];
    await system.fallAsleep(asleep);
    await system.select([{ ...registered(away), isRegistered: false }, registered(asleep)]);
    await eventually(async () => expect(await system.devicesOf(id)).toHaveLength(2));
    const change = { ends_at: new Date().toISOString() };
    expect((await system.call('PUT', `${path}/${id}`, change)).status).toBe(200);
    await system.eventually(id, 'done');
    const codes = Object.fromEntries((await system.devicesOf(id)).map((d) => [d['device_id'], d['event_code']]));
    expect(codes).toEqual({ [away]: 'SYS_101', [asleep]: 'SYS_100' });
  });

  it('devices that are suspended or deleted meanwhile fail at once', async () => {
    const id = await started();
    const [suspended, deleted] = [newId(), newId()];
    const away = (deviceId: string) => ({ ...registered(deviceId), isRegistered: false });
    await system.select([away(suspended), away(deleted)]);
    await eventually(async () => expect(await system.devicesOf(id)).toHaveLength(2));
    await system.tellLifecycle(suspended, 'suspended');
    await system.tellLifecycle(deleted, 'deleted');
    await system.eventually(id, 'done');
    const reasons = (await system.devicesOf(id)).map(({ reason }) => reason);
    expect(reasons.toSorted()).toEqual(['the device is suspended', 'the device was deleted']);
  });

  const sessionsOf = async (deviceIds: string[]): Promise<unknown[]> =>
    system.database().query<unknown[]>('SELECT FROM campaigns.device_sessions WHERE device_id = ANY($1)', [deviceIds]);

  it('a registration of a device that is read after its deletion is stored until its session ends', async () => {
    const deleted = newId();
    await system.takeLifecycle(deleted, 'deleted');
    await system.register(deleted);
    await eventually(async () => expect(await sessionsOf([deleted])).toHaveLength(1));
    await system.register(deleted, { change: 'deregistered', reason: 'deleted' });
    await eventually(async () => expect(await sessionsOf([deleted])).toEqual([]));
  });

  it('the end of a session of a deleted device is not stored', async () => {
    const deleted = newId();
    // On each partition one that comes afterwards.
    const others = Array.from({ length: 24 }, () => newId());
    await system.register(deleted);
    await eventually(async () => expect(await sessionsOf([deleted])).toHaveLength(1));
    await system.tellLifecycle(deleted, 'deleted');
    await eventually(async () => expect(await sessionsOf([deleted])).toEqual([]));
    await system.register(deleted, { change: 'expired' });
    for (const other of others) await system.register(other);
    await eventually(async () => expect(await sessionsOf(others)).toHaveLength(24));
    expect(await sessionsOf([deleted])).toEqual([]);
  });

  it('devices do not fail by a suspension that is over, when its fact comes again', async () => {
    const resumed = newId();
    // On each partition one that fails afterwards.
    const others = Array.from({ length: 24 }, () => newId());
    await system.tellLifecycle(resumed, 'suspended', 7);
    await system.tellLifecycle(resumed, 'resumed', 8);
    const known = 'SELECT 1 FROM campaigns.device_sessions WHERE device_id = $1 AND lifecycle_revision = 8';
    await eventually(async () => expect(await system.database().query<unknown[]>(known, [resumed])).toHaveLength(1));
    const id = await started();
    const away = (deviceId: string) => ({ ...registered(deviceId), isRegistered: false });
    await system.select([resumed, ...others].map(away));
    await eventually(async () => expect(await system.devicesOf(id)).toHaveLength(25));
    await system.tellLifecycle(resumed, 'suspended', 7);
    for (const other of others) await system.tellLifecycle(other, 'suspended', 1);
    await eventually(async () => {
      const failed = (await system.devicesOf(id)).filter(({ state }) => state === 'failed');
      expect(failed.map((device) => device['device_id'])).toEqual(others.toSorted());
    });
    await system.tellLifecycle(resumed, 'suspended', 9);
    await system.eventually(id, 'done');
  });
});

describe('a campaign with software', () => {
  it('installs and activates it over object 9, and skips devices that have it', async () => {
    const query = `name=${newId()}&version=2&object=9&package_name=router`;
    const image = (await system.call('POST', `/v3/firmware-images?${query}`, Buffer.from('software'))).body;
    expect(image).toMatchObject({ package_object: 9, package_name: 'router' });
    const [fresh, old, there] = [newId(), newId(), newId()];
    const devices = [fresh, old, there].map((deviceId) => new SoftwareDevice(deviceId, '2', 'router'));
    Object.assign(devices[1]!, { installed: '1', swState: 4, isActive: true });
    Object.assign(devices[2]!, { installed: '2', swState: 4, isActive: true });
    for (const device of devices) system.connect(device);
    const id = await started({ firmware_image_id: image.id });
    await system.select([fresh, old, there].map(registered));
    await system.eventually(id, 'done');
    const ends = Object.fromEntries((await system.devicesOf(id)).map((d) => [d['device_id'], d['event_code']]));
    expect(ends).toEqual({ [fresh]: 'SYS_112', [old]: 'SYS_112', [there]: 'SYS_110' });
    expect(devices.map(({ installed, isActive }) => [installed, isActive])).toEqual(Array(3).fill(['2', true]));
    expect(devices[1]!.commands.map(({ method, path }) => `${method} ${path}`)).toContain('POST /9/1/6');
    expect(devices[0]!.uri).toMatch(/^coap:\/\/lanyard\.example:5683\/downloads\/t-[0-9a-f]{32}$/);
  });

  it('creates an instance of object 9 where there is none, once even if the answer is lost', async () => {
    const query = `name=${newId()}&version=2&object=9&package_name=router`;
    const image = (await system.call('POST', `/v3/firmware-images?${query}`, Buffer.from('software'))).body;
    const [answering, silent] = [newId(), newId()];
    const devices = [answering, silent].map((deviceId) => new SoftwareDevice(deviceId, '2', 'router'));
    for (const device of devices) Object.assign(device, { hasInstance: false });
    Object.assign(devices[1]!, { isCreateUnanswered: true });
    for (const device of devices) system.connect(device);
    const id = await started({ firmware_image_id: image.id });
    await system.select([answering, silent].map(registered));
    await system.eventually(id, 'done');
    const ends = Object.fromEntries((await system.devicesOf(id)).map((d) => [d['device_id'], d['event_code']]));
    expect(ends).toEqual({ [answering]: 'SYS_112', [silent]: 'SYS_112' });
    for (const { commands } of devices) {
      const created = commands.filter(({ method, path: at }) => method === 'POST' && at === '/9');
      // TLV: instance 0, of 0 bytes.
      expect(created.map(({ contentType, payload }) => [contentType, payload])).toEqual([
        ['application/vnd.oma.lwm2m+tlv', Buffer.from([0, 0]).toString('base64')],
      ]);
    }
  });
});
