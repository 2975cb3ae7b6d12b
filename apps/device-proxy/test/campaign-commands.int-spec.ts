import { type CampaignCommandIssued, CampaignsCommands } from '@lanyard/contracts';
import { formatTimestamp, newId, newTicket, sealTicket } from '@lanyard/service';
import { eventually, type Thermometer } from '@lanyard/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RunningProxy } from './running-proxy.js';
import { b64, encryptionKey, newKey, TestSystem } from './test-system.js';

describe('campaigns.commands', () => {
  let system: TestSystem;
  let proxy: RunningProxy;
  let thing: Thermometer;
  let deviceId: string;
  const campaignId = newId();

  beforeAll(async () => {
    system = await TestSystem.create('campaign-commands');
    proxy = await system.proxy('dp-0');
    thing = system.thing(proxy, 'updated');
    deviceId = await system.register(thing);
  });
  beforeEach(() => {
    thing.device.received.length = 0;
    thing.device.beforeAnswer = undefined;
  });
  afterAll(() => system.close());

  const issue = async (over: Partial<CampaignCommandIssued>): Promise<string> => {
    const commandId = newId();
    await system.announce(CampaignsCommands, {
      commandId,
      campaignId,
      accountId: system.accountId,
      deviceId,
      action: 'execute',
      method: 'PUT',
      path: '/3341/0/5527',
      expirySeconds: 600,
      issuedAt: formatTimestamp(Date.now()),
      ...over,
    });
    return over.commandId ?? commandId;
  };

  it('are carried out, and their result names the campaign and goes to no channel', async () => {
    const commandId = await issue({ payload: b64('new text'), contentType: 'text/plain' });
    const { value, audience } = await system.result(commandId);
    expect(value).toMatchObject({
      commandId,
      campaignId,
      keyId: campaignId,
      kind: 'campaign',
      outcome: 'succeeded',
      item: { status: 200 },
      written: { payload: b64('new text') },
    });
    expect(audience).toBe('');
    expect(thing.text).toBe('new text');
    const accepted = await system.fact(system.commands, (v) => v.commandId === commandId);
    expect(accepted.value).toMatchObject({ campaignId, payload: b64('new text') });
  });

  it('read and execute, and give the error of the device', async () => {
    const read = await issue({ method: 'GET', path: '/3303/0/5701' });
    expect((await system.result(read)).value.item).toMatchObject({ status: 200, ct: 'text/plain' });
    const reboots = thing.reboots;
    await system.result(await issue({ method: 'POST', path: '/3/0/4' }));
    expect(thing.reboots).toBe(reboots + 1);
    const refused = await issue({ method: 'GET', path: '/3/0/99' });
    expect((await system.result(refused)).value).toMatchObject({
      outcome: 'failed',
      item: { status: 404, error: 'RESOURCE_NOT_FOUND' },
    });
  });

  it('create an instance', async () => {
    const created: string[] = [];
    thing.device.onInstance = (change, path, payload) => created.push(`${change} ${path} ${payload.toString('hex')}`);
    const payload = Buffer.from([0, 0]).toString('base64');
    const contentType = 'application/vnd.oma.lwm2m+tlv';
    const commandId = await issue({ method: 'POST', path: '/9', payload, contentType });
    expect((await system.result(commandId)).value).toMatchObject({ outcome: 'succeeded', item: { status: 200 } });
    expect(created).toEqual(['create /9 0000']);
    expect(thing.device.received[0]).toMatchObject({ method: 'POST', path: '/9', contentFormat: 11542 });
  });

  it('give the ticket of a download to the device only, not even to who reads the device', async () => {
    const ticket = newTicket();
    const uri = 'coaps://host:5684/downloads/';
    const sealedTicket = sealTicket(encryptionKey, deviceId, ticket);
    const written = await issue({ payload: b64(uri), contentType: 'text/plain', sealedTicket });
    const { value } = await system.result(written);
    expect(value.outcome).toBe('succeeded');
    expect(value).not.toHaveProperty('written');
    const { value: accepted } = await system.fact(system.commands, (v) => v.commandId === written);
    expect(accepted).not.toHaveProperty('payload');
    expect(thing.text).toBe(uri + ticket);
    const read = await issue({ method: 'GET' });
    const { item } = (await system.result(read)).value;
    expect(Buffer.from(item.payload, 'base64').toString()).toBe(`${uri}t-${'*'.repeat(32)}`);
    await system.fact(system.commands, (v) => v.commandId === read);
    await system.fact(system.values, (v) => v.item.payload === item.payload);
    const told = JSON.stringify([system.commands, system.results, system.values]);
    expect(told).toContain(item.payload);
    for (const text of [uri + ticket, ticket]) expect(told).not.toContain(b64(text));
    expect(await system.rows(`SELECT download_ticket FROM device_proxy.commands WHERE id = '${written}'`)).toEqual([
      { download_ticket: null },
    ]);
  });

  it('are carried out once, whatever is read twice', async () => {
    const commandId = newId();
    await issue({ commandId, method: 'POST', path: '/3/0/4' });
    await system.result(commandId);
    const reboots = thing.reboots;
    await issue({ commandId, method: 'POST', path: '/3/0/4' });
    const after = await issue({ payload: b64('after') });
    await system.result(after);
    await system.fact(system.commands, (v) => v.commandId === after);
    expect(thing.reboots).toBe(reboots);
    expect(system.results.filter(({ value }) => value.commandId === commandId)).toHaveLength(1);
    expect(system.commands.filter(({ value }) => value.commandId === commandId)).toHaveLength(1);
  });

  it('wait in the queue with the commands of applications, first in, first out', async () => {
    let go!: () => void;
    thing.device.beforeAnswer = () => new Promise<void>((resolve) => (go = resolve));
    const app = newKey(system.accountId);
    const write = (text: string) => ({ method: 'PUT', uri: '/3341/0/5527', 'payload-b64': b64(text) });
    const send = (asyncId: string, text: string) =>
      system.call(proxy, app, 'POST', `/v2/device-requests/${deviceId}?async-id=${asyncId}`, write(text));
    await send('fifo-1', 'first');
    await eventually(() => expect(thing.device.received).toHaveLength(1));
    const second = await issue({ payload: b64('second') });
    await system.fact(system.commands, (v) => v.commandId === second);
    await send('fifo-3', 'third');
    thing.device.beforeAnswer = undefined;
    go();
    await system.result('fifo-3');
    expect(thing.device.received.map(({ payload }) => payload)).toEqual(['first', 'second', 'third']);
  });

  it('that wait are cancelled; others are not affected', async () => {
    const absent = newId();
    await system.lifecycle(absent, 'absent', 'created');
    const commandId = await issue({ deviceId: absent, payload: b64('x') });
    await system.fact(system.commands, (v) => v.commandId === commandId);
    await issue({ commandId, deviceId: absent, action: 'cancel' });
    expect((await system.result(commandId)).value).toMatchObject({
      outcome: 'failed',
      item: { error: 'REQUEST_CANCELLED' },
    });
    const done = await issue({ payload: b64('done') });
    await system.result(done);
    await issue({ commandId: done, action: 'cancel' });
    await issue({ commandId: newId(), action: 'cancel' });
    await system.result(await issue({ payload: b64('still here') }));
    expect(system.results.filter(({ value }) => value.commandId === done)).toHaveLength(1);
  });

  it('expire after their time, counted from when they were issued', async () => {
    const absent = newId();
    await system.lifecycle(absent, 'late', 'created');
    const commandId = await issue({ deviceId: absent, issuedAt: formatTimestamp(Date.now() - 700_000) });
    expect((await system.result(commandId)).value).toMatchObject({
      outcome: 'expired',
      item: { status: 429, error: 'REQUEST_EXPIRED' },
    });
  });

  it('fail for a suspended device, and for one of another account', async () => {
    const suspended = newId();
    await system.lifecycle(suspended, 'suspended', 'created');
    await system.lifecycle(suspended, 'suspended', 'suspended');
    const stranger = newId();
    await eventually(async () => {
      const commandId = await issue({ deviceId: suspended });
      expect((await system.result(commandId)).value.item.error).toBe('DEVICE_BLOCKED');
    });
    const foreign = await issue({ accountId: stranger });
    expect((await system.result(foreign)).value.item.error).toBe('DEVICE_REMOVED_REGISTRATION');
  });

  it('fail when too many commands wait for the device, and hold up no other', async () => {
    const full = newId();
    await system.lifecycle(full, 'full', 'created');
    await system.rows(
      `INSERT INTO device_proxy.commands (id, device_id, account_id, key_id, async_id, kind, method, path, fingerprint,
         retry_max, accepted_at, accepted_by, expires_at)
       SELECT 'full-' || n, '${full}', '${system.accountId}', 'k', 'a' || n, 'endpoint', 'GET', '/3', 'f', 0, now(), 'dp-0',
         now() + interval '1 hour' FROM generate_series(1, 1000) n`,
    );
    const commandId = await issue({ deviceId: full });
    expect((await system.result(commandId)).value.item).toMatchObject({ status: 429, error: 'QUEUE_IS_FULL' });
    await system.result(await issue({ payload: b64('unhindered') }));
    expect(thing.text).toBe('unhindered');
  });

  it('are dated before a later write, although they were issued before an earlier one', async () => {
    const app = newKey(system.accountId);
    const write = async (asyncId: string) => {
      const body = { method: 'PUT', uri: '/3341/0/5527', 'payload-b64': b64(asyncId) };
      await system.call(proxy, app, 'POST', `/v2/device-requests/${deviceId}?async-id=${asyncId}`, body);
      return (await system.result(asyncId)).value;
    };
    await write('earlier');
    const commandId = await issue({ commandId: newId(Date.now() - 60_000), payload: b64('between') });
    await system.result(commandId);
    // As if a replica whose clock is a minute fast had accepted it.
    await system.rows(
      `UPDATE device_proxy.commands SET accepted_at = accepted_at + interval '1 minute' WHERE id = '${commandId}'`,
    );
    expect(Date.parse((await write('later')).acceptedAt)).toBeGreaterThan(Date.now() + 30_000);
  });

  it('survive the end of the replica that accepted them', async () => {
    const other = await system.proxy('dp-1');
    const absent = newId();
    await system.lifecycle(absent, 'later', 'created');
    const commandId = await issue({ deviceId: absent, payload: b64('kept') });
    await system.fact(system.commands, (v) => v.commandId === commandId);
    await system.stop(other);
    const later = system.thing(proxy, 'later');
    await system.register(later);
    expect((await system.result(commandId)).value.outcome).toBe('succeeded');
    expect(later.text).toBe('kept');
  });
});
