import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { parseApiKey } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { RecordedEvents } from './recorded-events.js';
import { TestSystem, type Reply } from './test-system.js';

let gateway: TestSystem;
let recorded: RecordedEvents;

beforeAll(async () => {
  gateway = await (await TestSystem.corner('audit')).start();
  recorded = await RecordedEvents.of(gateway);
});
afterAll(async () => {
  await recorded?.stop();
  await gateway?.stop();
});

const send = async (method: string, path: string, body?: unknown): Promise<Reply> => {
  const reply = await gateway.call(path, { method, body, headers: { 'x-request-id': 'asked-by-test' } });
  expect([path, reply.status < 300]).toEqual([path, true]);
  return reply;
};

const codesOf = (targetId: string): string[] =>
  recorded.all.filter((fact) => fact.data?.['target_id'] === targetId).map((fact) => fact.eventCode);

/** What happened to one target comes in order: it has one key in the outbox's topic. */
const expectCodes = (targetId: string, codes: string[]): Promise<void> =>
  eventually(() => expect(codesOf(targetId)).toEqual(codes));

it('every action on a key is told once, with its actor, and no secret', async () => {
  const { id, key } = (await send('POST', '/v3/api-keys', { name: 'audited' })).body;
  await send('PUT', `/v3/api-keys/${id}`, { name: 'renamed' });
  await send('PUT', `/v3/api-keys/${id}`, { status: 'INACTIVE' });
  await send('PUT', `/v3/api-keys/${id}`, { status: 'ACTIVE' });
  await send('POST', `/v3/api-keys/${id}/reset-secret`);
  await send('POST', `/v3/api-keys/${id}/rotate`, { overlap_seconds: 60 });
  await send('DELETE', `/v3/api-keys/${id}/previous-secret`);
  const group = (await send('POST', '/v3/policy-groups', { name: 'audited' })).body.id;
  await send('POST', `/v3/api-keys/${id}/groups/add`, [group]);
  await send('POST', `/v3/api-keys/${id}/groups/remove`, [group]);
  await send('DELETE', `/v3/api-keys/${id}`);
  await expectCodes(id, [
    'SYS_510',
    'SYS_511',
    'SYS_512',
    'SYS_513',
    'SYS_514',
    'SYS_515',
    'SYS_516',
    'SYS_523',
    'SYS_524',
    'SYS_517',
  ]);
  const facts = recorded.all.filter((fact) => fact.data?.['target_id'] === id);
  expect(facts[1]).toMatchObject({ accountId: gateway.accountId, changes: { name: 'renamed' } });
  for (const { data, deviceId } of facts) {
    expect(deviceId).toBeUndefined();
    expect(data).toMatchObject({
      actor_key_id: parseApiKey(gateway.adminKey)?.keyId,
      actor_account_id: gateway.accountId,
      request_id: 'asked-by-test',
      target: 'api-key',
    });
  }
  expect(JSON.stringify(recorded.all)).not.toContain(key.slice(-32));
});

it('groups, applications and their access keys', async () => {
  const group = (await send('POST', '/v3/policy-groups', { name: 'audited too' })).body.id;
  const application = (await send('POST', '/v3/applications', { name: 'audited' })).body.id;
  const accessKey = (await send('POST', `/v3/applications/${application}/access-keys`, { name: 'k' })).body.id;
  await send('PUT', `/v3/applications/${application}/access-keys/${accessKey}`, { status: 'INACTIVE' });
  await send('DELETE', `/v3/applications/${application}/access-keys/${accessKey}`);
  await send('PUT', `/v3/policy-groups/${group}`, { name: 'audited too', permissions: ['commands'] });
  await send('POST', `/v3/policy-groups/${group}`, { applications: [application] });
  await send('POST', `/v3/policy-groups/${group}/applications/remove`, { applications: [application] });
  await send('PUT', `/v3/applications/${application}`, { description: 'd' });
  await send('DELETE', `/v3/applications/${application}`);
  await send('DELETE', `/v3/policy-groups/${group}`);
  await expectCodes(group, ['SYS_520', 'SYS_521', 'SYS_523', 'SYS_524', 'SYS_522']);
  const changed = recorded.all.find((f) => f.eventCode === 'SYS_521' && f.data?.['target_id'] === group);
  expect(changed?.changes).toEqual({ permissions: 'commands' });
  await expectCodes(application, ['SYS_530', 'SYS_531', 'SYS_532']);
  await expectCodes(accessKey, ['SYS_533', 'SYS_534', 'SYS_535']);
});

it('what a new key, key group or application may do, and what limits it', async () => {
  const deviceGroup = 'd'.repeat(32);
  const limits = { permissions: ['devices.read'], device_groups: [deviceGroup] };
  const group = (await send('POST', '/v3/policy-groups', { name: 'limited', ...limits })).body.id;
  const expiration = '2098-01-02T03:04:05.000000Z';
  const limit = { device_groups: [deviceGroup], source_addresses: ['192.0.2.0/24', '2001:db8::/32'], expiration };
  const key = (await send('POST', '/v3/api-keys', { name: 'limited', groups: [group], ...limit })).body.id;
  const application = (await send('POST', '/v3/applications', { name: 'limited', groups: [group] })).body.id;
  const path = `/v3/applications/${application}/access-keys`;
  const accessKey = (await send('POST', path, { name: 'limited', status: 'INACTIVE', expiration })).body.id;
  await expectCodes(accessKey, ['SYS_533']);
  const changesOf = (id: string): unknown => recorded.all.find(({ data }) => data?.['target_id'] === id)?.changes;
  expect(changesOf(group)).toEqual({ permissions: 'devices.read', device_groups: deviceGroup });
  expect(changesOf(key)).toEqual({
    groups: group,
    device_groups: deviceGroup,
    source_addresses: '192.0.2.0/24,2001:db8::/32',
    expiration,
  });
  expect(changesOf(application)).toEqual({ groups: group });
  expect(changesOf(accessKey)).toEqual({ status: 'INACTIVE', expiration });
});

it('accounts: in the log of the account that it was done to, by an actor of another', async () => {
  const { id } = (await send('POST', '/v3/accounts', { display_name: 'Tenant' })).body;
  await send('PUT', `/v3/accounts/${id}`, { company: 'Inc', city: 'Ulm' });
  await send('PUT', `/v3/accounts/${id}`, { status: 'SUSPENDED' });
  await send('PUT', `/v3/accounts/${id}`, { status: 'ACTIVE' });
  const key = (await send('POST', `/v3/accounts/${id}/api-keys`, { name: 'helped' })).body.id;
  await expectCodes(id, ['SYS_500', 'SYS_501', 'SYS_502', 'SYS_503']);
  await expectCodes(key, ['SYS_510']);
  for (const fact of recorded.all.filter((f) => [id, key].includes(f.data?.['target_id'] ?? '')))
    expect(fact).toMatchObject({ accountId: id, data: { actor_account_id: gateway.accountId } });
  expect(recorded.all.find((f) => f.eventCode === 'SYS_501')?.changes).toEqual({ company: 'Inc', city: 'Ulm' });
});

it('a sign-in, with the address that it came from and neither the key nor the token', async () => {
  const { id, key } = await gateway.newKey();
  const reply = await gateway.call('/v3/session', { method: 'POST', key: null, body: { api_key: key } });
  const token = /lanyard_session=([^;]+)/.exec(reply.headers.get('set-cookie') ?? '')?.[1] as string;
  await expectCodes(id, ['SYS_510', 'SYS_508']);
  const fact = recorded.all.find(({ eventCode, data }) => eventCode === 'SYS_508' && data?.['target_id'] === id);
  expect(fact).toMatchObject({
    accountId: gateway.accountId,
    description: 'Signed in: app',
    data: { target: 'api-key', actor_key_id: id, address: expect.stringContaining('127.0.0.1') },
  });
  for (const secret of [token, key.slice(-32)]) expect(JSON.stringify(recorded.all)).not.toContain(secret);
});

it('what is refused is not told', async () => {
  const { id } = await gateway.newKey();
  await expectCodes(id, ['SYS_510']);
  const refused = await gateway.call(`/v3/api-keys/${id}`, {
    method: 'PUT',
    body: { name: 'x' },
    headers: { 'if-match': '"77"' },
  });
  expect(refused.status).toBe(412);
  await send('PUT', `/v3/api-keys/${id}`, { name: 'last' });
  await expectCodes(id, ['SYS_510', 'SYS_511']);
});
