import { describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { testSystem } from './test-system.js';

const { call, changesOf, created, introduce, session, tell } = testSystem('contacts');

describe('endpoints that come for the first time', () => {
  const device = (id: string) => call('GET', `/v3/devices/${id}`);

  it('are in the directory before their creation is announced, each once, and know nothing of a session', async () => {
    const deviceIds = Array.from({ length: 300 }, () => newId());
    await Promise.all(
      deviceIds.flatMap((deviceId) => {
        const contact = { deviceId, endpointName: `first-${deviceId}`, endpointType: 'thermometer' };
        return [introduce(contact), introduce(contact)];
      }),
    );
    await eventually(() => expect(deviceIds.filter((id) => changesOf(id).length === 0)).toEqual([]));
    for (const id of deviceIds.slice(0, 20))
      expect((await device(id)).body).toMatchObject({
        endpoint_name: `first-${id}`,
        endpoint_type: 'thermometer',
        state: 'unenrolled',
      });
    // On each partition one that comes after whatever was told twice.
    const others = Array.from({ length: 64 }, () => newId());
    await Promise.all(others.map((deviceId) => introduce({ deviceId, endpointName: `first-${deviceId}` })));
    await eventually(() => expect(others.filter((id) => changesOf(id).length === 0)).toEqual([]));
    expect(new Set(deviceIds.flatMap((id) => changesOf(id).map((c) => `${c.change} ${c.revision}`)))).toEqual(
      new Set(['created 1']),
    );
    expect(deviceIds.filter((id) => changesOf(id).length > 1)).toEqual([]);
  });

  it('are behind the gateway that introduced them, and are found by it', async () => {
    const [gateway, behind] = [newId(), newId()];
    await introduce({ deviceId: gateway, endpointName: `gateway-${gateway}` });
    await introduce({ deviceId: behind, endpointName: `behind-${behind}`, hostGateway: gateway });
    await eventually(() => expect(changesOf(behind)).toMatchObject([{ change: 'created', hostGateway: gateway }]));
    expect((await device(behind)).body).toMatchObject({ host_gateway: gateway });
    const { body } = await call('GET', `/v3/devices?host_gateway__eq=${gateway}`);
    expect(body).toMatchObject({ data: [{ id: behind }] });
    // Moved by an operator.
    await call('PUT', `/v3/devices/${behind}`, { host_gateway: null });
    await eventually(() => expect(changesOf(behind)).toHaveLength(2));
    expect(changesOf(behind)[1]).not.toHaveProperty('hostGateway');
  });

  it('are created when they came, by the clock of their proxy, which dates the registration too', async () => {
    const occurredAt = '2026-01-02T03:04:05.678000Z';
    const [past, ahead] = [newId(), newId()];
    await introduce({ deviceId: past, endpointName: past, occurredAt });
    await introduce({ deviceId: ahead, endpointName: ahead, occurredAt: '2199-01-01T00:00:00.000000Z' });
    await eventually(() => expect(changesOf(past)).toMatchObject([{ change: 'created', changedAt: occurredAt }]));
    expect((await device(past)).body).toMatchObject({ created_at: occurredAt, updated_at: occurredAt });
    await eventually(() => expect(changesOf(ahead)).toHaveLength(1));
    expect(Date.parse(changesOf(ahead)[0]?.changedAt ?? '')).toBeLessThan(Date.parse('2199-01-01'));
  });

  it('get no device when the name belongs to another one: their id is announced as deleted', async () => {
    const endpointName = `taken-${newId()}`;
    const held = await created({ endpoint_name: endpointName });
    const minted = newId();
    await introduce({ deviceId: minted, endpointName });
    await eventually(() => expect(changesOf(minted)).toMatchObject([{ change: 'deleted', endpointName }]));
    expect((await device(minted)).status).toBe(404);
    expect((await device(held)).status).toBe(200);
  });

  it('keep a device that was renamed when its contact comes again, also if another one has its name now', async () => {
    const [deviceId, endpointName] = [newId(), `renamed-${newId()}`];
    await introduce({ deviceId, endpointName });
    await eventually(() => expect(changesOf(deviceId)).toHaveLength(1));
    await call('PUT', `/v3/devices/${deviceId}`, { endpoint_name: `new-${deviceId}` });
    await created({ endpoint_name: endpointName });
    await introduce({ deviceId, endpointName });
    // On each partition one that is refused afterwards.
    const others = Array.from({ length: 24 }, () => newId());
    await Promise.all(others.map((other) => introduce({ deviceId: other, endpointName })));
    await eventually(() => expect(others.filter((other) => changesOf(other).length === 0)).toEqual([]));
    expect(changesOf(deviceId).map(({ change }) => change)).toEqual(['created', 'changed']);
  });

  it('may say a type that is as long as a registration takes: the device can be suspended like others', async () => {
    const deviceId = newId();
    await introduce({ deviceId, endpointName: deviceId });
    await eventually(async () => expect((await device(deviceId)).status).toBe(200));
    await tell(session(deviceId, { epoch: 1, endpointName: deviceId, endpointType: 't'.repeat(200) }));
    await eventually(async () => expect((await device(deviceId)).body.state).toBe('registered'));
    expect((await call('POST', `/v3/devices/${deviceId}/suspend`, { category: 'other' })).status).toBe(204);
    await eventually(() => expect(changesOf(deviceId).at(-1)).toMatchObject({ change: 'suspended' }));
  });

  it('are suspended with all others of a filter, although the clock of the proxy that gave their ids is fast', async () => {
    const deviceId = newId(Date.now() + 3_600_000);
    await introduce({ deviceId, endpointName: deviceId });
    await eventually(async () => expect((await device(deviceId)).status).toBe(200));
    const wanted = { action: 'suspend', category: 'lost_or_stolen', filter: `endpoint_name=${deviceId}` };
    expect((await call('POST', '/v3/device-suspensions', wanted)).body).toMatchObject({ changed_count: 1 });
    expect((await device(deviceId)).body.lifecycle_status).toBe('blocked');
  });
});
