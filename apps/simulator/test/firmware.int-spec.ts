import { createHash, randomBytes } from 'node:crypto';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type BodySource, Code, CoapUdpEndpoint, formatCode, type Peer } from '@lanyard/coap';
import { certificateAuthority, eventually, serve } from '@lanyard/testing';
import { type RunningSimulator } from '../src/start.js';
import { type Settings, simulate as simulateAt } from './simulate.js';
import { TestServer } from './test-server.js';

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const image = randomBytes(200_000);
const named = Buffer.concat([Buffer.from(`SIMFW 2.0.0 ${sha256(image)}\n`), image]);
const damaged = Buffer.from(named);
damaged[100_000]! ^= 1;

/** A web server with one package, whose connections break after some bytes. */
class PackageServer {
  content = named;
  etag = `"${sha256(named)}"`;
  breaksAfter = Infinity;
  ranges: (string | undefined)[] = [];
  close = (): void => undefined;

  async listen(): Promise<string> {
    const { url, stop } = await serve((request, response) => {
      this.ranges.push(request.headers.range);
      const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
      if (request.url !== '/downloads/ticket') return void response.writeHead(404).end();
      const rest = this.content.subarray(from);
      response.writeHead(from > 0 ? 206 : 200, { etag: this.etag, 'content-length': rest.length });
      if (rest.length <= this.breaksAfter) return void response.end(rest);
      response.write(rest.subarray(0, this.breaksAfter), () => setImmediate(() => response.destroy()));
    });
    this.close = stop;
    return `${url}/downloads/ticket`;
  }
}

describe('a firmware update', () => {
  let server: TestServer;
  let packages: PackageServer;
  let url: string;
  let running: RunningSimulator;
  let peer: Peer;

  const simulate = async (settings: Settings = {}): Promise<void> => {
    const quick = { FIRMWARE_INSTALL_SECONDS: 0, FIRMWARE_REBOOT_SECONDS: 0 };
    const patience = { ACK_TIMEOUT_MS: 1_000, RETRANSMISSIONS: 3 };
    running = await simulateAt({
      SERVER: server.url,
      DEVICES: 1,
      VALUES_PER_SECOND: 0,
      ...quick,
      ...patience,
      ...settings,
    });
    await eventually(() => expect(running.tally.registered).toBe(1));
    peer = server.peerOf('sim-0');
  };
  const read = async (path: string): Promise<string> => (await server.send(peer, Code.GET, path)).payload.toString();
  const stateAndResult = async (): Promise<string> => `${await read('/5/0/3')} ${await read('/5/0/5')}`;
  const until = (expected: string): Promise<void> =>
    eventually(async () => expect(await stateAndResult()).toBe(expected));
  const execute = async (path: string): Promise<string> => formatCode((await server.send(peer, Code.POST, path)).code);
  const writeUri = (uri: string) =>
    server.send(peer, Code.PUT, '/5/0/1', { payload: Buffer.from(uri), contentFormat: 0 });
  const push = async (bytes: Buffer): Promise<string> => {
    const source: BodySource = { bytes: bytes.length, read: async (at, length) => bytes.subarray(at, at + length) };
    const { code } = await server.send(peer, Code.PUT, '/5/0/0', { source, contentFormat: 42 });
    return formatCode(code);
  };

  beforeEach(async () => {
    server = await new TestServer().listen();
    packages = new PackageServer();
    url = await packages.listen();
  });
  afterEach(async () => {
    await running.stop();
    await server.endpoint.close();
    packages.close();
  });

  it('is pushed in blocks, installed, and the device registers again with the new version', async () => {
    await simulate();
    await server.observe(peer, '/5/0/3');
    expect(await read('/3/0/3')).toBe('1.0.0');
    expect(await execute('/5/0/2')).toBe('4.05');
    expect(await push(named)).toBe('2.04');
    expect([await stateAndResult(), await read('/5/0/7')]).toEqual(['2 0', '2.0.0']);
    await eventually(() => expect(server.values.at(-1)).toBe('2'));
    expect(server.values.at(0)).toBe('1');
    expect(await execute('/5/0/2')).toBe('2.04');
    await eventually(() => expect(server.registered('sim-0')).toHaveLength(2));
    expect([await read('/3/0/3'), await stateAndResult()]).toEqual(['2.0.0', '0 1']);
    expect(running.tally.counts).toMatchObject({ 'firmware-downloaded': 1, 'firmware-updated': 1 });
  });

  it('is pulled over HTTP, also when the connection breaks again and again', async () => {
    packages.breaksAfter = 80_000;
    await simulate();
    expect(formatCode((await writeUri(url)).code)).toBe('2.04');
    await until('2 0');
    expect(packages.ranges).toEqual([undefined, 'bytes=80000-', 'bytes=160000-']);
    expect(await read('/5/0/7')).toBe('2.0.0');
  });

  it('is pulled over CoAP from its own server and from another one', async () => {
    await simulate({ FIRMWARE_BYTES_PER_SECOND: 1_000_000 });
    server.onOther = ({ path }) =>
      path.join('/') === 'downloads/ticket'
        ? { code: Code.Content, payload: named, etag: Buffer.from('1') }
        : undefined;
    await writeUri(`${server.url}/downloads/ticket`);
    await until('2 0');
    expect(await execute('/5/0/10')).toBe('2.04');
    expect(await stateAndResult()).toBe('0 10');
    const other = new CoapUdpEndpoint({
      host: '127.0.0.1',
      onRequest: async () => ({ code: Code.Content, payload: named }),
    });
    await writeUri(`coap://127.0.0.1:${(await other.listen()).port}/x?y=1`);
    await until('2 0');
    await other.close();
  });

  it.each([
    ['a damaged package, by its header', () => void (packages.content = damaged), '0 5'],
    ['another package than its hash says', () => void (packages.etag = `"${sha256(damaged)}"`), '0 5'],
    ['a package that the server does not have', () => void (url = url.replace('ticket', 'other')), '0 7'],
    ['a URI that is none', () => void (url = 'no uri'), '0 7'],
    ['a path that cannot be decoded', () => void (url = 'coap://127.0.0.1/%zz'), '0 7'],
    ['a protocol that it does not know', () => void (url = 'ftp://127.0.0.1/x'), '0 9'],
  ])('fails with %s', async (_, prepare, expected) => {
    await simulate();
    prepare();
    await writeUri(url);
    await until(expected);
    expect(await execute('/5/0/2')).toBe('4.05');
    await writeUri('');
    expect(await stateAndResult()).toBe('0 0');
  });

  it('fails without another attempt where the certificate of the package server cannot be verified', async () => {
    const { certificate, privateKey } = certificateAuthority('unknown').issue('downloads', { hosts: ['127.0.0.1'] });
    let connections = 0;
    const https = createHttpsServer({ cert: certificate, key: privateKey }, (_, response) => response.end(named));
    https.on('connection', () => connections++);
    await new Promise<void>((listening) => https.listen(0, '127.0.0.1', listening));
    await simulate();
    await writeUri(`https://127.0.0.1:${(https.address() as AddressInfo).port}/downloads/ticket`);
    await until('0 7');
    expect(connections).toBe(1);
    https.close();
  });

  it.each([
    ['integrity', '2.04', '0 5'],
    ['unsupported-package', '2.04', '0 6'],
    ['out-of-memory', '4.13', '0 3'],
    ['no-space', '4.13', '0 2'],
    ['connection-lost', '5.00', '0 4'],
  ])('fails as it is told: %s, pushed and pulled', async (failure, code, expected) => {
    await simulate({ FIRMWARE_FAILURE: failure });
    expect(await push(named)).toBe(code);
    await until(expected);
    await writeUri(url);
    await until(expected);
    expect(running.tally.counts['firmware-failed']).toBe(2);
  });

  it('fails in the installation, and can be tried again', async () => {
    await simulate({ FIRMWARE_FAILURE: 'update-failed' });
    await push(named);
    await execute('/5/0/2');
    await until('2 8');
    expect([await read('/3/0/3'), await execute('/5/0/2')]).toEqual(['1.0.0', '2.04']);
  });

  it('loses no value that waits for its acknowledgement when the device restarts', async () => {
    await simulate({ VALUES_PER_SECOND: 50, UPDATE_SECONDS: 1, ACK_TIMEOUT_MS: 10_000 });
    await push(named);
    let notified = 0;
    const temperature = { method: Code.GET, path: ['3303', '0', '5700'] };
    await server.endpoint.observe(peer, temperature, () => new Promise(() => void (notified += 1)));
    await eventually(() => expect(notified).toBe(1));
    expect(await execute('/5/0/2')).toBe('2.04');
    // The restarted device has registered, and updated its registration later.
    await eventually(() => expect(server.count(Code.POST, /^\/rd\/r1$/)).toBeGreaterThan(0));
    expect(running.tally.counts).toMatchObject({ 'firmware-updated': 1, 'value-lost': 0 });
  });

  it('is forgotten by a device that dies in the middle of the download', async () => {
    await simulate({ FIRMWARE_FAILURE: 'dies', ACK_TIMEOUT_MS: 100, RETRANSMISSIONS: 1 });
    await writeUri(url);
    await eventually(() => expect(server.registered('sim-0')).toHaveLength(2));
    expect(await stateAndResult()).toBe('0 0');
  });

  it('of software: delivered, installed, activated, deactivated and uninstalled, over object 9', async () => {
    await simulate({ SOFTWARE: 'true' });
    const instance = async (): Promise<string> => {
      const values: string[] = [];
      for (const resource of [0, 1, 7, 9, 12]) values.push(await read(`/9/0/${resource}`));
      return values.join(' ');
    };
    const deliver = (uri: string) =>
      server.send(peer, Code.PUT, '/9/0/3', { payload: Buffer.from(uri), contentFormat: 0 });
    const becomes = (expected: string): Promise<void> =>
      eventually(async () => expect(await instance()).toBe(expected));
    expect([await instance(), await execute('/9/0/4'), await execute('/9/0/10')]).toEqual(['  0 0 0', '4.05', '4.05']);
    await deliver(url.replace('ticket', 'other'));
    await becomes('  0 56 0');
    await deliver(url);
    await becomes('application 2.0.0 3 3 0');
    expect(await execute('/9/0/4')).toBe('2.04');
    await becomes('application 2.0.0 4 2 0');
    expect([await execute('/9/0/10'), await instance()]).toEqual(['2.04', 'application 2.0.0 4 2 1']);
    expect([await execute('/9/0/11'), await instance()]).toEqual(['2.04', 'application 2.0.0 4 2 0']);
    expect([await execute('/9/0/6'), await instance()]).toEqual(['2.04', '  0 0 0']);
    const source = { bytes: named.length, read: async (at: number, n: number) => named.subarray(at, at + n) };
    expect(formatCode((await server.send(peer, Code.PUT, '/9/0/2', { source, contentFormat: 42 })).code)).toBe('2.04');
    expect(await instance()).toBe('application 2.0.0 3 3 0');
    expect(running.tally.counts).toMatchObject({ 'software-installed': 1, 'software-failed': 1 });
  });

  it('of software whose push breaks off is pushed again from the first block on', async () => {
    await simulate({ SOFTWARE: 'true' });
    const pushUntil = async (end: number): Promise<string> => {
      const part = async (at: number, length: number): Promise<Buffer> => {
        if (at >= end) throw new Error('the replica has ended');
        return named.subarray(at, at + length);
      };
      const source: BodySource = { bytes: named.length, read: part };
      return formatCode((await server.send(peer, Code.PUT, '/9/0/2', { source, contentFormat: 42 })).code);
    };
    await expect(pushUntil(50_000)).rejects.toThrow('the replica has ended');
    expect(await read('/9/0/7')).toBe('1');
    expect(await pushUntil(named.length)).toBe('2.04');
    expect([await read('/9/0/1'), await read('/9/0/7')]).toEqual(['2.0.0', '3']);
  });

  it('of software in instances that the server creates, each with a package of its own', async () => {
    await simulate({ SOFTWARE: 'true', SOFTWARE_INSTANCES: 0 });
    const code = async (method: number, path: string, more: { payload?: Buffer; contentFormat?: number } = {}) =>
      formatCode((await server.send(peer, method, path, more)).code);
    const create = (id: number) => code(Code.POST, '/9', { payload: Buffer.from([0, id]), contentFormat: 11_542 });
    expect(server.registered('sim-0')[0]?.payload.toString()).toContain('</9>');
    expect(await code(Code.GET, '/9')).toBe('4.04');
    expect([await create(0), await create(0), await create(3)]).toEqual(['2.01', '4.00', '2.01']);
    await code(Code.PUT, '/9/3/3', { payload: Buffer.from(url), contentFormat: 0 });
    await eventually(async () => expect(await read('/9/3/7')).toBe('3'));
    expect([await read('/9/3/0'), await read('/9/0/7')]).toEqual(['application', '0']);
    expect(await execute('/9/3/4')).toBe('2.04');
    await eventually(async () => expect(await read('/9/3/7')).toBe('4'));
    expect([await code(Code.DELETE, '/9/3'), await create(3), await read('/9/3/7')]).toEqual(['2.02', '2.01', '0']);
  });

  it('leaves a device silent that never answers', async () => {
    await simulate({ FIRMWARE_FAILURE: 'never-answers' });
    await push(named);
    await execute('/5/0/2');
    await eventually(() => expect(running.tally.registered).toBe(0));
    expect(server.registered('sim-0')).toHaveLength(1);
  });
});
