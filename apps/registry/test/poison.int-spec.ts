import { expect, it } from '@jest/globals';
import { AccessAccounts, DeviceSessions } from '@lanyard/contracts';
import { newId } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { testSystem } from './test-system.js';

const { call, changesOf, deadLetters, introduce, session, tell, tellAccount } = testSystem('poison');

it('a session that cannot be stored is a dead letter, and stops none behind it', async () => {
  const deviceId = newId();
  await introduce({ deviceId, endpointName: deviceId });
  const state = async (): Promise<unknown> => (await call('GET', `/v3/devices/${deviceId}`)).body.state;
  await eventually(async () => expect(await state()).toBe('unenrolled'));
  await tell(session(deviceId, { epoch: 1, endpointName: deviceId, endpointType: 'a NUL: \0' }));
  await eventually(async () => expect(await deadLetters(DeviceSessions)).toBe(1));
  await tell(session(deviceId, { epoch: 1, endpointName: deviceId, endpointType: 'thermometer' }));
  await eventually(async () => expect(await state()).toBe('registered'));
});

it('so is a fact about an account', async () => {
  const account = newId();
  const tellStatus = (changedAt: string): Promise<void> =>
    tellAccount({ accountId: account, tier: 'commercial', status: 'suspended', autoCreateDevices: false, changedAt });
  const { body: device } = await call('POST', '/v3/devices', { endpoint_name: newId() }, account);
  await tellStatus('2024-02-30T00:00:00Z');
  await eventually(async () => expect(await deadLetters(AccessAccounts)).toBe(1));
  await tellStatus('2024-03-01T00:00:00Z');
  await eventually(() => expect(changesOf(device.id).at(-1)).toMatchObject({ change: 'suspended' }));
});
