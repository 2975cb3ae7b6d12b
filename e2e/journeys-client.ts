import { expect } from '@jest/globals';
import { CommandFailed, type LanyardEvent, NotFound, textOf } from '@lanyard/client';
import { eventually } from '@lanyard/testing';
import type { Application } from './application.ts';
import { fresh, registered, sensor } from './journeys.ts';

/** The client package with its own key: pages, events, commands with their results, errors. */
export const clientPackage = async (administrator: Application, coapUrl: string): Promise<void> => {
  const { lanyard } = await administrator.another(fresh('client'));
  const channel = await lanyard.listen({ serialization: { cfg: { include_uid: true } } });
  const events: LanyardEvent[] = [];
  const taken = (async () => {
    for await (const event of channel) events.push(event);
  })();
  const demo = await registered(administrator, 'client-device', coapUrl);
  const { device, deviceId } = demo;
  try {
    await eventually(() => events.some((e) => e.category === 'registrations' && e.deviceId === deviceId));

    const found: string[] = [];
    for await (const { id } of lanyard.items('GET /v3/devices', { query: { limit: 2 } })) found.push(id);
    expect(found).toContain(deviceId);
    expect(new Set(found).size).toBe(found.length);

    expect(await lanyard.read(deviceId, '/3/0/0')).toBe('Lanyard');
    await lanyard.command(deviceId, { method: 'PUT', uri: '/3341/0/5527', payload: 'by name' });
    expect(demo.text).toBe('by name');
    const asyncId = await lanyard.sendCommand(deviceId, { method: 'GET', uri: '/3/0/0' });
    expect((await lanyard.commandResult(asyncId)).text).toBe('Lanyard');
    await expect(lanyard.read(deviceId, '/3/0/99')).rejects.toThrow(CommandFailed);

    await lanyard.call('PUT /v2/subscriptions/{deviceId}/{object}/{instance}/{resource}', {
      path: { deviceId, object: 3303, instance: 0, resource: 5700 },
    });
    await eventually(() => device.isObserved(sensor));
    await device.report(sensor, 18.5);
    const value = await eventually(() => {
      const seen = events.find((e) => e.category === 'notifications' && textOf(e.payload) === '18.5');
      return seen?.category === 'notifications' ? seen : Promise.reject(new Error('no value yet'));
    });
    expect([value.deviceId, value.path, typeof value.item.uid]).toEqual([deviceId, sensor, 'string']);

    const missing = lanyard.call('GET /v3/devices/{id}', { path: { id: '0'.repeat(32) } });
    await expect(missing).rejects.toThrow(NotFound);
    await expect(missing).rejects.toMatchObject({ code: 'not_found', requestId: expect.stringMatching(/./) });
  } finally {
    await device.close();
    channel.close();
    await taken;
  }
};
