import { describe, expect, it } from '@jest/globals';
import type { DeviceSelectionAnswered, DeviceSelectionRequested } from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { accountId, testSystem } from './test-system.js';

const system = testSystem('selections');

const select = async (request: Partial<DeviceSelectionRequested> = {}): Promise<DeviceSelectionAnswered> => {
  const selectionId = newId();
  await system.requestSelection({
    selectionId,
    accountId,
    page: 0,
    until: newId(Date.now() + 1_000),
    limit: 500,
    requestedAt: new Date().toISOString(),
    ...request,
  });
  return eventually(() => {
    const answer = system.selectionPages().find((page) => page.selectionId === selectionId);
    expect(answer).toBeDefined();
    return answer as DeviceSelectionAnswered;
  });
};

describe('a selection of devices', () => {
  it('is answered in pages that neither repeat nor omit a device', async () => {
    const type = newId().slice(0, 12);
    const ids = [];
    for (let n = 0; n < 5; n++) ids.push(await system.created({ endpoint_type: type }));
    const filter = `endpoint_type=${type}`;
    const first = await select({ filter, limit: 3 });
    expect(first.hasMore).toBe(true);
    const second = await select({ filter, limit: 3, page: 1, after: first.devices.at(-1)?.deviceId });
    expect(second).toMatchObject({ page: 1, hasMore: false });
    expect([...first.devices, ...second.devices].map(({ deviceId }) => deviceId)).toEqual(ids.toSorted());
    expect(first.devices[0]).toMatchObject({ lifecycleStatus: 'enabled', isRegistered: false });
  });

  it('by group', async () => {
    const id = await system.created();
    const { body: group } = await system.call('POST', '/v3/device-groups', { name: newId() });
    await system.call('POST', `/v3/device-groups/${group.id}/devices/add`, { device_id: id });
    expect((await select({ groupId: group.id })).devices.map(({ deviceId }) => deviceId)).toEqual([id]);
    expect((await select({ groupId: group.id, filter: 'state=registered' })).devices).toEqual([]);
  });

  it('omits devices that were created later', async () => {
    const until = newId(Date.now() - 60_000);
    const type = newId().slice(0, 12);
    await system.created({ endpoint_type: type });
    expect((await select({ filter: `endpoint_type=${type}`, until })).devices).toEqual([]);
  });

  it('is refused with the name of what is wrong', async () => {
    expect(await select({ filter: 'colour=red' })).toMatchObject({
      devices: [],
      refusal: { field: 'filter', message: 'colour: Unknown filter' },
    });
    expect(await select({ groupId: newId() })).toMatchObject({ refusal: { field: 'group_id' } });
  });

  it.each(['', '&', '?'])('is not made of all devices by a filter that contains none: %j', async (filter) => {
    await system.created();
    expect(await select({ filter })).toMatchObject({ devices: [], refusal: { field: 'filter' } });
  });

  it.each([
    ['a long value', `created_at=${'x'.repeat(600)}`],
    ['a long name', `${'x'.repeat(600)}=1`],
    ['a NUL', '%00a=1'],
  ])('is refused for %s with a text that fits the answer', async (_, filter) => {
    const { refusal } = await select({ filter });
    expect(refusal?.field).toBe('filter');
    expect(refusal?.message).not.toContain('\0');
    expect((await select()).refusal).toBeUndefined();
  });

  it('never has devices of another account', async () => {
    const type = newId().slice(0, 12);
    await system.created({ endpoint_type: type });
    expect((await select({ accountId: newId(), filter: `endpoint_type=${type}` })).devices).toEqual([]);
  });
});
