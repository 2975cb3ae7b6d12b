import { describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { accountId, testSystem } from './test-system.js';

const path = '/v3/bootstrap-profiles';
const uri = 'coaps://lwm2m.example:5684';

describe('bootstrap profiles', () => {
  const { call, created, announcedProfile, audited, rows } = testSystem('profiles');
  const ofDevice = async (more: object = {}): Promise<object> => ({
    scope: 'device',
    device_id: await created(),
    name: newId(),
    server_uri: uri,
    ...more,
  });

  it('are created with defaults, announced, changed and deleted', async () => {
    const { status, body } = await call('POST', path, { scope: 'account', name: 'everyone', server_uri: uri });
    expect(status).toBe(201);
    expect(body).toEqual({
      object: 'bootstrap-profile',
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      account_id: accountId,
      scope: 'account',
      device_id: null,
      group_id: null,
      name: 'everyone',
      description: '',
      server_uri: uri,
      credential_kind: 'psk',
      security_mode: 'psk',
      short_server_id: 1,
      lifetime_seconds: 86_400,
      binding: 'U',
      notification_storing: true,
      default_min_period_seconds: null,
      default_max_period_seconds: null,
      disable_timeout_seconds: null,
      initial_registration_delay_seconds: null,
      bootstrap_on_registration_failure: null,
      communication_retry_count: null,
      communication_retry_seconds: null,
      communication_sequence_delay_seconds: null,
      communication_sequence_retry_count: null,
      preferred_transport: null,
      mute_send: null,
      confirmable_notifications: null,
      delete_paths: ['/0', '/1'],
      created_at: expect.any(String),
      updated_at: expect.any(String),
      etag: expect.any(String),
    });
    await eventually(() =>
      expect(announcedProfile(body.id)).toMatchObject({ accountId, serverUri: uri, binding: 'U' }),
    );
    expect((await call('GET', `${path}/${body.id}`)).body).toEqual(body);
    const change = { ...body, lifetime_seconds: 300, delete_paths: ['/'], server_uri: 'coap+tcp://192.0.2.7' };
    const changed = await call('PUT', `${path}/${body.id}`, change, accountId, { 'if-match': `"${body.etag}"` });
    expect(changed.body).toMatchObject({ lifetime_seconds: 300, delete_paths: ['/'], security_mode: 'none' });
    expect((await call('PUT', `${path}/${body.id}`, {}, accountId, { 'if-match': body.etag })).status).toBe(412);
    await eventually(() =>
      expect(announcedProfile(body.id)).toMatchObject({ securityMode: 'none', deletePaths: ['/'] }),
    );
    expect((await call('DELETE', `${path}/${body.id}`)).status).toBe(204);
    expect((await call('GET', `${path}/${body.id}`)).status).toBe(404);
    await eventually(() => expect(announcedProfile(body.id)).toBeUndefined());
    await eventually(() =>
      expect(audited().flatMap((e) => (e.data?.target_id === body.id ? [e.eventCode] : []))).toEqual([
        'SYS_565',
        'SYS_566',
        'SYS_567',
      ]),
    );
  });

  it('give raw public keys over DTLS only', async () => {
    const raw = { credential_kind: 'raw_public_key' };
    const { status, body } = await call('POST', path, await ofDevice(raw));
    expect([status, body.credential_kind, body.security_mode]).toEqual([201, 'raw_public_key', 'raw_public_key']);
    await eventually(() => expect(announcedProfile(body.id)?.securityMode).toBe('raw_public_key'));
    for (const other of ['coaps+tcp://lwm2m.example', 'coap://lwm2m.example']) {
      const created = await call('POST', path, await ofDevice({ ...raw, server_uri: other }));
      const changed = await call('PUT', `${path}/${body.id}`, { server_uri: other });
      for (const refused of [created, changed])
        expect([refused.status, refused.body.fields[0].name]).toEqual([400, 'credential_kind']);
    }
    const open = { server_uri: 'coap://lwm2m.example', credential_kind: 'psk' };
    expect((await call('PUT', `${path}/${body.id}`, open)).body).toMatchObject({ ...open, security_mode: 'none' });
    await eventually(() => expect(announcedProfile(body.id)?.securityMode).toBe('none'));
  });

  it('can be deleted when a replica of the previous version has taken them off DTLS', async () => {
    const { body } = await call('POST', path, await ofDevice({ credential_kind: 'raw_public_key' }));
    await eventually(() => expect(announcedProfile(body.id)).toBeDefined());
    await rows(`UPDATE registry.bootstrap_profiles SET server_uri = 'coap://lwm2m.example' WHERE id = '${body.id}'`);
    expect((await call('PUT', `${path}/${body.id}`, { lifetime_seconds: 300 })).status).toBe(400);
    expect((await call('DELETE', `${path}/${body.id}`)).status).toBe(204);
    await eventually(() => expect(announcedProfile(body.id)).toBeUndefined());
  });

  it('announce the settings of the Server object that they have, and not those that they leave to the device', async () => {
    const settings = {
      default_min_period_seconds: 0,
      default_max_period_seconds: 600,
      disable_timeout_seconds: 3_600,
      initial_registration_delay_seconds: 0,
      bootstrap_on_registration_failure: false,
      communication_retry_count: 3,
      communication_retry_seconds: 60,
      communication_sequence_delay_seconds: 86_400,
      communication_sequence_retry_count: 1,
      preferred_transport: 'U',
      mute_send: true,
      confirmable_notifications: false,
    };
    const { status, body } = await call('POST', path, await ofDevice(settings));
    expect([status, body]).toEqual([201, expect.objectContaining(settings)]);
    const announced = {
      defaultMinPeriodSeconds: 0,
      defaultMaxPeriodSeconds: 600,
      disableTimeoutSeconds: 3_600,
      initialRegistrationDelaySeconds: 0,
      bootstrapOnRegistrationFailure: false,
      communicationRetryCount: 3,
      communicationRetrySeconds: 60,
      communicationSequenceDelaySeconds: 86_400,
      communicationSequenceRetryCount: 1,
      preferredTransport: 'U',
      muteSend: true,
      confirmableNotifications: false,
    };
    await eventually(() => expect(announcedProfile(body.id)).toMatchObject(announced));
    const none = Object.fromEntries(Object.keys(settings).map((name) => [name, null]));
    expect((await call('PUT', `${path}/${body.id}`, none)).body).toMatchObject(none);
    await eventually(() => {
      for (const name of Object.keys(announced)) expect(announcedProfile(body.id)).not.toHaveProperty(name);
    });
  });

  it('are listed and filtered', async () => {
    const { body } = await call('POST', path, await ofDevice({ short_server_id: 777 }));
    expect((await call('GET', `${path}?short_server_id__eq=777`)).body.data).toMatchObject([{ id: body.id }]);
    expect((await call('GET', `${path}?scope__eq=group`)).body.data).toEqual([]);
    expect((await call('GET', `${path}?scope__eq=world`)).status).toBe(400);
  });

  it('are one for each target, and have one name each', async () => {
    const wanted = await ofDevice();
    expect((await call('POST', path, wanted)).status).toBe(201);
    const repeated = await call('POST', path, { ...wanted, name: newId() });
    expect([repeated.status, repeated.body.type, repeated.body.fields[0].name]).toEqual([409, 'duplicate', 'scope']);
    const { name } = wanted as { name: string };
    const named = await call('POST', path, await ofDevice({ name }));
    expect([named.status, named.body.fields[0].name]).toEqual([409, 'name']);
  });

  it.each([
    ['no scope', { scope: undefined }],
    ['an unknown scope', { scope: 'world' }],
    ['another scheme', { server_uri: 'http://example.com' }],
    ['a URI with a path', { server_uri: 'coap://example.com/rd' }],
    ['a URI with a user', { server_uri: 'coap://user:secret@example.com' }],
    ['no host', { server_uri: 'coap://:5683' }],
    ['the short server id of a bootstrap server', { short_server_id: 65_535 }],
    ['no lifetime', { lifetime_seconds: 0 }],
    ['a negative time', { disable_timeout_seconds: -1 }],
    ['too many attempts', { communication_retry_count: 256 }],
    ['queue mode as a transport', { preferred_transport: 'Q' }],
    ['Mute Send as a number', { mute_send: 1 }],
    ['a binding twice', { binding: 'UU' }],
    ['queue mode alone', { binding: 'Q' }],
    ['a resource to delete', { delete_paths: ['/3/0/1'] }],
    ['a relative path', { delete_paths: ['0'] }],
    ['a security mode', { security_mode: 'none' }],
    ['a kind of credential that no bootstrap creates', { credential_kind: 'certificate' }],
    ['a group too', { group_id: newId() }],
    ['an unknown field', { key: '00' }],
  ])('400 for %s', async (_what, wrong) => {
    expect((await call('POST', path, await ofDevice(wrong))).status).toBe(400);
  });

  it('404 for a device or group that the account does not have', async () => {
    const foreign = await call('POST', '/v3/devices', { endpoint_name: newId() }, newId());
    for (const id of [newId(), foreign.body.id, 'nonsense'])
      expect((await call('POST', path, await ofDevice({ device_id: id }))).status).toBe(404);
    const wanted = { scope: 'group', group_id: newId(), name: newId(), server_uri: uri };
    expect((await call('POST', path, wanted)).status).toBe(404);
  });

  it('of another account are not there', async () => {
    const { body } = await call('POST', path, await ofDevice());
    for (const method of ['GET', 'DELETE'])
      expect((await call(method, `${path}/${body.id}`, undefined, newId())).status).toBe(404);
    expect((await call('PUT', `${path}/${body.id}`, { name: 'mine' }, newId())).status).toBe(404);
  });

  it('go with their device or group', async () => {
    const { body: group } = await call('POST', '/v3/device-groups', { name: newId() });
    const ofGroup = { scope: 'group', group_id: group.id, name: newId(), server_uri: uri };
    const [first, second] = [await call('POST', path, ofGroup), await call('POST', path, await ofDevice())];
    expect([first.status, second.status]).toEqual([201, 201]);
    for (const { body } of [first, second]) await eventually(() => expect(announcedProfile(body.id)).toBeDefined());
    expect((await call('DELETE', `/v3/device-groups/${group.id}`)).status).toBe(204);
    expect((await call('DELETE', `/v3/devices/${second.body.device_id}`)).status).toBe(204);
    for (const { body } of [first, second]) {
      await eventually(() => expect(announcedProfile(body.id)).toBeUndefined());
      expect((await call('GET', `${path}/${body.id}`)).status).toBe(404);
    }
  });
});
