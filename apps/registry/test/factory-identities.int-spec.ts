import { describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { accountId, testSystem } from './test-system.js';

describe('identities of pre-shared keys that are taken unchanged', () => {
  const { call, created, announcedCredential } = testSystem('factory-identities', {
    REGISTRY_PSK_IDENTITIES_QUALIFIED: 'false',
  });
  const add = (device: string, identity: string, account = accountId): ReturnType<typeof call> =>
    call('POST', `/v3/devices/${device}/credentials`, { kind: 'psk', identity }, account);

  it('are what the device shows, up to their full length', async () => {
    const device = await created();
    for (const identity of ['urn:imei:356938035643809', 'x'.repeat(128)]) {
      const { status, body } = await add(device, identity);
      expect([status, body.identity]).toEqual([201, identity]);
      await eventually(() => expect(announcedCredential(body.id)).toMatchObject({ accountId, identity }));
    }
  });

  it('belong to one device of the installation, in whichever account', async () => {
    const [identity, stranger] = [`urn:dev:${newId()}`, newId()];
    const { body } = await call('POST', '/v3/devices', { endpoint_name: newId(), ca_id: 'ca' }, stranger);
    expect((await add(await created(), identity)).status).toBe(201);
    for (const reply of [await add(await created(), identity), await add(body.id, identity, stranger)])
      expect([reply.status, reply.body.type, reply.body.fields[0].name]).toEqual([409, 'duplicate', 'identity']);
  });
});
