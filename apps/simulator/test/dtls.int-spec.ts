import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CoapDatagramEndpoint, Code } from '@lanyard/coap';
import { eventually, selfSigned } from '@lanyard/testing';
import { type RunningSimulator } from '../src/start.js';
import { DtlsServerTransport } from './dtls-server-transport.js';
import { type Settings, simulate as simulateAt } from './simulate.js';
import { TestServer } from './test-server.js';

describe('a fleet over DTLS', () => {
  let transport: DtlsServerTransport;
  let server: TestServer;
  let running: RunningSimulator;
  let credentials: string;

  const simulate = async (settings: Settings = {}): Promise<void> => {
    const files = { SERVER: server.url, CREDENTIALS_FILE: credentials };
    running = await simulateAt({ DEVICES: 2, ACK_TIMEOUT_MS: 200, ...files, ...settings });
    await eventually(() => expect(running.tally.registered).toBe(2));
  };

  beforeEach(async () => {
    transport = new DtlsServerTransport();
    server = new TestServer((options) => new CoapDatagramEndpoint({ ...options, transport }), 'coaps');
    await server.listen();
    const lines = ['meter-a', 'meter-b'].map((name) => {
      const key = randomBytes(16);
      transport.keys.set(`psk-${name}`, key);
      return `${name} psk-${name} ${key.toString('hex')}`;
    });
    credentials = join(mkdtempSync(join(tmpdir(), 'simulator-')), 'credentials');
    writeFileSync(credentials, lines.join('\n'));
  });
  afterEach(async () => {
    await running.stop();
    await server.endpoint.close();
  });

  it('registers with a key per device, answers and reports', async () => {
    await simulate({ VALUES_PER_SECOND: 50 });
    expect(running.tally.counts.handshake).toBe(2);
    expect(server.registered('meter-a')[0]?.query).toContain('b=U');
    const peer = server.peerOf('meter-b');
    expect(await server.ask(peer, Code.GET, '/3/0/2')).toBe('2.5 meter-b');
    await server.observe(peer, '/3303/0/5700');
    await eventually(() => expect(server.values.length).toBeGreaterThan(3));
  });

  it('registers with a certificate and with a raw public key', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'simulator-'));
    const { certificate, privateKey } = selfSigned('meter-a');
    for (const [file, text] of Object.entries({ certificate, key: privateKey }))
      writeFileSync(join(folder, file), text);
    credentials = join(folder, 'credentials');
    writeFileSync(credentials, 'meter-a x509 certificate key\nmeter-b raw-public-key key\n');
    await simulate({ VALUES_PER_SECOND: 50 });
    expect(transport.proofs.map(({ kind }) => kind).toSorted()).toEqual(['raw-public-key', 'x509']);
    for (const name of ['meter-a', 'meter-b'])
      expect(await server.ask(server.peerOf(name), Code.GET, '/3/0/2')).toBe(`2.5 ${name}`);
  });

  it('keeps its connections when addresses change, thanks to connection ids', async () => {
    await simulate({ REBIND_PERCENT: 100, REBIND_SECONDS: 1, VALUES_PER_SECOND: 20 });
    await server.observe(server.peerOf('meter-a'), '/3303/0/5700');
    await eventually(() => expect(transport.moves.length).toBeGreaterThan(1));
    const values = server.values.length;
    await eventually(() => expect(server.values.length).toBeGreaterThan(values));
    expect(running.tally.counts).toMatchObject({ handshake: 2, 'handshake-resumed': 0 });
    expect(running.tally.counts.rebound).toBeGreaterThan(1);
  });

  it('resumes its session where the new address ends the connection', async () => {
    await simulate({ WITHOUT_CONNECTION_IDS: 'true', REBIND_PERCENT: 100, REBIND_SECONDS: 1, UPDATE_SECONDS: 1 });
    await eventually(() => expect(running.tally.counts['handshake-resumed']).toBeGreaterThan(1));
    expect(running.tally.counts.handshake).toBe(2);
    expect(transport.moves).toEqual([]);
  });

  it('connects again when the server has forgotten its connections', async () => {
    await simulate({ UPDATE_SECONDS: 1 });
    transport.forgetAll();
    await eventually(() => expect(running.tally.counts['handshake-resumed']).toBeGreaterThanOrEqual(2));
    await eventually(() => expect(server.count(Code.POST, /^\/rd\/r\d$/)).toBeGreaterThan(1));
  });

  it('sleeps in queue mode without losing its connection', async () => {
    await simulate({ QUEUE_MODE: 'true', AWAKE_SECONDS: 1, UPDATE_SECONDS: 3 });
    await eventually(() => expect(server.count(Code.POST, /^\/rd\/r\d$/)).toBeGreaterThan(2));
    expect(running.tally.counts.handshake).toBe(2);
  });

  it('leaves in time although its server is away, for which a handshake would wait longer', async () => {
    await simulate({ ACK_TIMEOUT_MS: 60_000, RETRANSMISSIONS: 4 });
    await server.endpoint.close();
    const devices = running.groups[0]?.devices ?? [];
    // The connection is lost, and the next contact has begun to make another one.
    for (const device of devices) device.unacknowledged();
    const startedMs = performance.now();
    await Promise.all(devices.map((device) => device.leave(500)));
    expect(performance.now() - startedMs).toBeLessThan(60_000);
    expect(running.tally.registered).toBe(0);
  });
});

describe('a fleet over TLS', () => {
  it('does not start with raw public keys', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'simulator-'));
    writeFileSync(join(folder, 'key'), selfSigned('meter-a').privateKey);
    writeFileSync(join(folder, 'credentials'), 'meter-a raw-public-key key');
    const settings = { SERVER: 'coaps+tcp://127.0.0.1:5684', CREDENTIALS_FILE: join(folder, 'credentials') };
    await expect(simulateAt(settings)).rejects.toThrow('for coaps:// only');
  });
});
