import { createHash, randomBytes } from 'node:crypto';
import { Code, formatCode } from '@lanyard/coap';
import { createLogger, newId, newTicket } from '@lanyard/service';
import { eventually, isLongRun } from '@lanyard/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Sessions } from '../src/sessions/sessions.js';
import { PackageServer } from './package-server.js';
import { PullingDevice } from './pulling-device.js';
import type { RunningProxy } from './running-proxy.js';
import { TestSystem } from './test-system.js';
import { UpdatedDevice } from './updated-device.js';

const sha256 = (body: Buffer): string => createHash('sha256').update(body).digest('hex');
describe('GET /downloads/{ticket}', () => {
  let system: TestSystem;
  let packages: PackageServer;
  let a: RunningProxy;
  let b: RunningProxy;
  const logged: string[] = [];
  const devices: { close(): unknown }[] = [];
  const body = randomBytes(300_000);

  beforeAll(async () => {
    system = await TestSystem.create('downloads');
    packages = await PackageServer.start();
    const destination = { write: (line: string) => void logged.push(line) };
    const logger = createLogger({ app: 'device-proxy', replicaId: 'dp', level: 'trace', destination });
    const options = { campaignsUrls: [packages.url], tcp: true, logger };
    [a, b] = await Promise.all([system.proxy('dp-a', options), system.proxy('dp-b', options)]);
  });
  beforeEach(() => {
    packages.asked.length = 0;
    packages.status = undefined;
    packages.before = () => Promise.resolve();
  });
  afterAll(async () => {
    await Promise.all(devices.map((device) => device.close()));
    await system.close();
    await packages.close();
  });

  const pulling = async ({ coapPort }: RunningProxy = a): Promise<PullingDevice> => {
    const device = await PullingDevice.open(coapPort);
    devices.push(device);
    return device;
  };
  /** A ticket of a device that the directory knows. */
  const ticketFor = async (content: Buffer = body): Promise<{ ticket: string; deviceId: string }> => {
    const ticket = newTicket();
    const deviceId = newId();
    await system.lifecycle(deviceId, `of-${deviceId}`, 'created');
    packages.open(ticket, deviceId, content);
    // Both replicas know the device.
    for (const { coapPort } of [a, b]) {
      const device = await PullingDevice.open(coapPort);
      await eventually(async () => expect(await device.codeOf(ticket, 0)).toBe('2.05'));
      await device.close();
    }
    packages.asked.length = 0;
    return { ticket, deviceId };
  };

  it('gives the package block by block, with an ETag, and fetches each part once', async () => {
    const { ticket } = await ticketFor();
    const device = await pulling();
    const first = await device.block(ticket, 0);
    expect(first).toMatchObject({ etag: Buffer.from(sha256(body), 'hex').subarray(0, 8), contentFormat: 42 });
    await Promise.all([device.download(ticket), (await pulling()).download(ticket)]);
    expect(device.digest).toBe(sha256(body));
    // On a busy machine, what campaigns said about the ticket may count no longer.
    expect(packages.asked.filter((asked) => asked !== 'HEAD').sort()).toEqual([
      'bytes=131072-196607',
      'bytes=196608-262143',
      'bytes=262144-299999',
      'bytes=65536-131071',
    ]);
  });

  it('gives it over TCP, in messages of 64 KiB', async () => {
    const { ticket } = await ticketFor();
    const device = await UpdatedDevice.overTcp(a.tcpPort);
    devices.push(device);
    expect((await device.download(ticket)).payload.equals(body)).toBe(true);
  });

  it('continues at any block at another replica, after the end of the one before', async () => {
    const doomed = await system.proxy('dp-doomed', { campaignsUrls: [packages.url] });
    const { ticket } = await ticketFor();
    const device = await pulling(doomed);
    await eventually(async () => expect(await device.codeOf(ticket, 0)).toBe('2.05'));
    const next = await device.download(ticket, 0, 100);
    await system.stop(doomed);
    device.talkTo(b.coapPort);
    await device.download(ticket, next);
    expect(device.digest).toBe(sha256(body));
  });

  it.each([
    ['an unknown ticket', () => newTicket(), '4.04'],
    ['what is no ticket', () => '../../v3/devices', '4.04'],
  ])('is 4.04 for %s', async (_name, ticket, code) => {
    expect(await (await pulling()).codeOf(ticket(), 0)).toBe(code);
  });

  it('is 4.04 for a ticket of a device that the account does not have', async () => {
    const ticket = newTicket();
    packages.open(ticket, newId(), body);
    expect(await (await pulling()).codeOf(ticket, 0)).toBe('4.04');
  });

  it('is 4.04 for a suspended device, in the middle of its download', async () => {
    const { ticket, deviceId } = await ticketFor();
    const device = await pulling();
    await device.download(ticket, 0, 3);
    await system.lifecycle(deviceId, `of-${deviceId}`, 'suspended');
    await eventually(async () => expect(await device.codeOf(ticket, 3)).toBe('4.04'));
  });

  it('is 4.04 at a part that is not here when the ticket has ended', async () => {
    const { ticket } = await ticketFor(randomBytes(200_000));
    const device = await pulling();
    await device.download(ticket, 0, 3);
    packages.end(ticket);
    expect(await device.codeOf(ticket, 150)).toBe('4.04');
  });

  it('is 5.03 with Max-Age while campaigns does not answer, and then continues', async () => {
    const { ticket } = await ticketFor(randomBytes(200_000));
    const device = await pulling();
    packages.status = 503;
    const refused = await device.block(ticket, 150);
    expect(formatCode(refused.code)).toBe('5.03');
    expect(refused.maxAgeSeconds).toBeGreaterThanOrEqual(5);
    const unknown = await device.block(newTicket(), 0);
    expect(formatCode(unknown.code)).toBe('5.03');
    packages.status = undefined;
    expect(await device.codeOf(ticket, 150)).toBe('2.05');
  });

  it('is 4.05 for another method and 4.04 below it', async () => {
    const { ticket } = await ticketFor();
    const device = await UpdatedDevice.overUdp(a.coapPort);
    devices.push(device);
    expect(formatCode(await device.ask(Code.POST, ['downloads', ticket]))).toBe('4.05');
    expect(formatCode(await device.ask(Code.GET, ['downloads', ticket, 'more']))).toBe('4.04');
  });

  it('is opaque: 4.06 for another format', async () => {
    const { ticket } = await ticketFor();
    const device = await pulling();
    for (const accept of [42, 1_544]) expect(await device.codeOf(ticket, 0, accept)).toBe('2.05');
    for (const accept of [0, 11_542]) expect(await device.codeOf(ticket, 0, accept)).toBe('4.06');
    expect(await device.codeOf(newTicket(), 0, 11_542)).toBe('4.04');
  });

  it('counts as a message of the device, which is awake meanwhile', async () => {
    const device = await UpdatedDevice.overUdp(a.coapPort);
    devices.push(device);
    const registrationId = await device.register('sleepy', ['b=U', 'Q']);
    const { value } = await system.fact(system.sessions, (v) => v.sessionId === registrationId);
    expect(value.transport).toBe('coap');
    const ticket = newTicket();
    packages.open(ticket, value.deviceId, body);
    const before = Date.now();
    await device.download(ticket);
    await eventually(() =>
      expect(a.app.get(Sessions, { strict: false }).get(value.deviceId)!.lastSeenAtMs).toBeGreaterThanOrEqual(before),
    );
  });

  it('bounds memory, and what it asks of campaigns, however many devices download', async () => {
    // More at once than the buffer of a socket holds would lose requests, on a busy machine all five attempts of one.
    const [count, bytes] = isLongRun ? [400, 524_288] : [100, 131_072];
    const content = randomBytes(bytes);
    const { ticket } = await ticketFor(content);
    const all = await Promise.all(Array.from({ length: count }, () => pulling()));
    // More new devices at once would be told to come later.
    for (let from = 0; from < count; from += 100)
      await Promise.all(all.slice(from, from + 100).map((device, n) => device.register(`one-of-many-${from + n}`)));
    packages.asked.length = 0;
    const before = process.memoryUsage().arrayBuffers;
    let largest = 0;
    const sampler = setInterval(() => (largest = Math.max(largest, process.memoryUsage().arrayBuffers - before)), 50);
    await Promise.all(all.map((device) => device.download(ticket)));
    clearInterval(sampler);
    expect(new Set(all.map(({ digest }) => digest))).toEqual(new Set([sha256(content)]));
    // The first part was fetched with the ticket.
    expect(packages.asked.filter((asked) => asked !== 'HEAD')).toHaveLength(bytes / 65_536 - 1);
    expect(largest).toBeLessThanOrEqual(128 * 1_048_576);
  }, 900_000);

  it('never writes a ticket into a log', async () => {
    const { ticket } = await ticketFor(randomBytes(200_000));
    const device = await pulling();
    packages.status = 500;
    await device.block(ticket, 100);
    await device.block(newTicket(), 0);
    packages.status = undefined;
    await device.download(ticket);
    expect(logged.some((line) => line.includes('downloads/…'))).toBe(true);
    expect(logged.filter((line) => line.includes(ticket))).toEqual([]);
  });
});
