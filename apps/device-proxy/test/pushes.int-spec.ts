import { createHash, randomBytes } from 'node:crypto';
import { type CampaignCommandIssued, CampaignsCommands } from '@lanyard/contracts';
import { formatTimestamp, newId, newTicket, sealTicket } from '@lanyard/service';
import { eventually, TestClock } from '@lanyard/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PackageServer } from './package-server.js';
import type { RunningProxy } from './running-proxy.js';
import { encryptionKey, newKey, TestSystem } from './test-system.js';
import { UpdatedDevice } from './updated-device.js';

const sha256 = (body: Buffer): string => createHash('sha256').update(body).digest('hex');

describe('the push of a package', () => {
  let system: TestSystem;
  let packages: PackageServer;
  let proxy: RunningProxy;
  const devices: UpdatedDevice[] = [];
  const campaignId = newId();
  const body = randomBytes(300_000);

  beforeAll(async () => {
    system = await TestSystem.create('pushes');
    packages = await PackageServer.start();
    proxy = await system.proxy('dp-0', { campaignsUrls: [packages.url], tcp: true });
  });
  beforeEach(() => {
    packages.status = undefined;
    packages.before = () => Promise.resolve();
    packages.asked.length = 0;
  });
  afterAll(async () => {
    await Promise.all(devices.map((device) => device.close()));
    await system.close();
    await packages.close();
  });

  const registered = async (device: UpdatedDevice, name: string): Promise<string> => {
    devices.push(device);
    const registrationId = await device.register(name);
    return (await system.fact(system.sessions, (v) => v.sessionId === registrationId)).value.deviceId;
  };
  const push = async (deviceId: string, ticket: string, over: Partial<CampaignCommandIssued> = {}): Promise<string> => {
    const commandId = newId();
    await system.announce(CampaignsCommands, {
      commandId,
      campaignId,
      accountId: system.accountId,
      deviceId,
      action: 'execute',
      method: 'PUT',
      path: '/5/0/0',
      sealedTicket: sealTicket(encryptionKey, deviceId, ticket),
      expirySeconds: 600,
      issuedAt: formatTimestamp(Date.now()),
      ...over,
    });
    return commandId;
  };
  const opened = (deviceId: string, content: Buffer = body): string => {
    const ticket = newTicket();
    packages.open(ticket, deviceId, content);
    return ticket;
  };
  /** Answers of the server are held from the n-th range on. */
  const heldFrom = (range: number): (() => void) => {
    let go!: () => void;
    const gate = new Promise<void>((resolve) => (go = resolve));
    packages.before = () => (packages.asked.length > range ? gate : Promise.resolve());
    return go;
  };

  it.each([
    ['UDP', () => UpdatedDevice.overUdp(proxy.coapPort)],
    ['TCP', () => UpdatedDevice.overTcp(proxy.tcpPort)],
  ])('writes it to the device over %s, and it is no desired value', async (name, open) => {
    const device = await open();
    const deviceId = await registered(device, `push-${name}`);
    const commandId = await push(deviceId, opened(deviceId));
    const { value } = await system.result(commandId);
    expect(value).toMatchObject({ campaignId, outcome: 'succeeded', item: { status: 200 } });
    expect(value).not.toHaveProperty('written');
    expect(device.written.map(({ path, contentFormat, payload }) => [path, contentFormat, sha256(payload)])).toEqual([
      ['/5/0/0', 42, sha256(body)],
    ]);
    expect(await system.rows(`SELECT download_ticket FROM device_proxy.commands WHERE id = '${commandId}'`)).toEqual([
      { download_ticket: null },
    ]);
  });

  it('holds up the other commands of its device, and of no other', async () => {
    const device = await UpdatedDevice.overUdp(proxy.coapPort);
    const deviceId = await registered(device, 'busy');
    const free = await UpdatedDevice.overUdp(proxy.coapPort);
    const freeId = await registered(free, 'free');
    const app = newKey(system.accountId);
    const read = (id: string, asyncId: string) =>
      system.call(proxy, app, 'POST', `/v2/device-requests/${id}?async-id=${asyncId}`, {
        method: 'GET',
        uri: '/3/0/13',
      });
    const go = heldFrom(3);
    const commandId = await push(deviceId, opened(deviceId, randomBytes(300_000)));
    await eventually(() => expect(packages.asked.length).toBeGreaterThan(3));
    await read(deviceId, 'behind');
    await read(freeId, 'elsewhere');
    expect((await system.result('elsewhere')).value.outcome).toBe('succeeded');
    expect(system.results.some(({ value }) => value.asyncId === 'behind')).toBe(false);
    go();
    expect((await system.result('behind')).value.outcome).toBe('succeeded');
    expect(system.results.findIndex(({ value }) => value.asyncId === commandId)).toBeLessThan(
      system.results.findIndex(({ value }) => value.asyncId === 'behind'),
    );
  });

  it('fails when its ticket ends on the way, or is of another device', async () => {
    const device = await UpdatedDevice.overUdp(proxy.coapPort);
    const deviceId = await registered(device, 'ended');
    const go = heldFrom(2);
    const content = randomBytes(300_000);
    const ticket = opened(deviceId, content);
    const commandId = await push(deviceId, ticket);
    await eventually(() => expect(packages.asked.length).toBeGreaterThan(2));
    packages.end(ticket);
    go();
    const failure = { outcome: 'failed', item: { status: 404, error: 'DOWNLOAD_ENDED' } };
    expect((await system.result(commandId)).value).toMatchObject(failure);
    const foreign = await push(deviceId, opened(newId()));
    expect((await system.result(foreign)).value).toMatchObject(failure);
    const misdirected = await push(deviceId, ticket, { sealedTicket: sealTicket(encryptionKey, newId(), ticket) });
    expect((await system.result(misdirected)).value).toMatchObject(failure);
    expect(device.written).toEqual([]);
  });

  it('gives the refusal of the device', async () => {
    const device = await UpdatedDevice.overUdp(proxy.coapPort, async () => ({ code: 0x8d }));
    const deviceId = await registered(device, 'full');
    const commandId = await push(deviceId, opened(deviceId));
    expect((await system.result(commandId)).value.item).toMatchObject({
      status: 413,
      error: 'REQUEST_ENTITY_TOO_LARGE',
    });
  });

  it('begins again at another replica when its own one ends', async () => {
    const other = await system.proxy('dp-other', { campaignsUrls: [packages.url] });
    const device = await UpdatedDevice.overUdp(other.coapPort);
    const deviceId = await registered(device, 'survivor');
    const go = heldFrom(2);
    const commandId = await push(deviceId, opened(deviceId, randomBytes(300_000)));
    await eventually(() => expect(packages.asked.length).toBeGreaterThan(2));
    const stopped = system.stop(other);
    go();
    await stopped;
    expect(device.written).toEqual([]);
    device.talkTo(proxy.coapPort);
    await device.register('survivor');
    expect((await system.result(commandId)).value.outcome).toBe('succeeded');
    expect(device.written).toHaveLength(1);
  });

  it('waits while campaigns does not answer, and ends when its time is over', async () => {
    const clock = new TestClock(Date.now());
    const patient = await system.proxy('dp-patient', { campaignsUrls: [packages.url], clock, pushMaxMs: 60_000 });
    const device = await UpdatedDevice.overUdp(patient.coapPort);
    const deviceId = await registered(device, 'patient');
    packages.status = 503;
    const commandId = await push(deviceId, opened(deviceId, randomBytes(300_000)), {
      expirySeconds: 86_400,
    });
    await eventually(() => expect(packages.asked.length).toBeGreaterThan(0));
    const refused = packages.asked.length;
    const go = heldFrom(refused + 3);
    packages.status = undefined;
    await eventually(async () => {
      // Until the push begins again: from then on it has its time.
      if (packages.asked.length === refused) await clock.advance(3_000);
      expect(packages.asked.length).toBeGreaterThan(refused + 2);
    });
    await clock.advance(60_000);
    await eventually(async () => {
      await clock.advance(1_000);
      expect(system.results.some(({ value }) => value.commandId === commandId)).toBe(true);
    });
    go();
    expect((await system.result(commandId)).value.item).toMatchObject({ status: 504, error: 'PUSH_TIMEOUT' });
    await system.stop(patient);
  });
});
