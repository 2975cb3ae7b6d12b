import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { AddressGuard } from '../src/callback-client/address-guard.js';
import { HostNames } from '../src/callback-client/host-names.js';
import { timeUntil } from './time-until.js';

const headerBytes = 12;
const typeA = 1;

/** What a query asks for (RFC 1035 §4.1.2). */
const questionOf = (query: Buffer): { name: string; type: number; end: number } => {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
};

/** NXDOMAIN without addresses. */
const answerTo = (query: Buffer, end: number, addresses: readonly string[] | undefined): Buffer => {
  const header = Buffer.from(query.subarray(0, headerBytes));
  header.writeUInt16BE(addresses ? 0x8180 : 0x8183, 2);
  header.writeUInt16BE(addresses?.length ?? 0, 6);
  header.fill(0, 8);
  const records = (addresses ?? []).map((address) =>
    Buffer.from([0xc0, headerBytes, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  );
  return Buffer.concat([header, query.subarray(headerBytes, end), ...records]);
};

describe('callback hosts', () => {
  let folder: string;
  let server: Socket;
  let asked: string[];
  let names: HostNames;
  let nameservers: string[];
  const known: Record<string, string[]> = {
    'live.example': ['198.51.100.7', '198.51.100.8'],
    'hook.apps.svc.cluster.local': ['10.1.2.3'],
  };

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'dispatcher-names-'));
    asked = [];
    server = createSocket('udp4');
    server.on('message', (query, { port, address }) => {
      const { name, type, end } = questionOf(query);
      if (type === typeA) asked.push(name);
      if (name.endsWith('.dead.example')) return;
      const addresses = known[name] && (type === typeA ? known[name] : []);
      server.send(answerTo(query, end, addresses), port, address);
    });
    await new Promise<void>((bound) => server.bind(0, '127.0.0.1', bound));
    writeFileSync(join(folder, 'hosts'), '10.1.1.1 overridden.example\n');
    writeFileSync(join(folder, 'resolv.conf'), 'search svc.cluster.local\noptions ndots:2\n');
    nameservers = [`127.0.0.1:${(server.address() as AddressInfo).port}`];
    names = new HostNames({ folder, nameservers });
  });

  afterEach(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });

  it('whose name servers say nothing keep no other waiting, and have failed before their request has', async () => {
    let failed = 0;
    for (let n = 0; n < 50; n++) void names.addressesOf(`n${n}.dead.example.`).catch(() => (failed += 1));
    await eventually(() => expect(new Set(asked).size).toBe(50));
    let live: unknown;
    // The second is looked up as connections to Kafka, PostgreSQL and Redis look up theirs.
    const looking = Promise.all([names.addressesOf('live.example.'), lookup('localhost')]);
    const found = looking.then(([addresses]) => (live = addresses));
    // The others fail after 6 s: what has to wait for one of them takes as long.
    const [waitedMs] = await Promise.all([timeUntil(() => expect(live).toHaveLength(2)), found]);
    expect(waitedMs).toBeLessThan(5_000);
    expect(await timeUntil(() => expect(failed).toBe(50))).toBeLessThan(20_000);
  });

  it('are found in the hosts file, and else in the order of the search list', async () => {
    expect(await names.addressesOf('overridden.example')).toEqual([{ address: '10.1.1.1', family: 4 }]);
    expect(asked).toEqual([]);
    expect(await names.addressesOf('hook.apps')).toEqual([{ address: '10.1.2.3', family: 4 }]);
    expect(await names.addressesOf('live.example')).toHaveLength(2);
    await expect(names.addressesOf('missing.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(asked).toEqual([
      'hook.apps.svc.cluster.local',
      'live.example.svc.cluster.local',
      'live.example',
      'missing.example.svc.cluster.local',
      'missing.example',
    ]);
  });

  it('are looked for as resolv.conf says now', async () => {
    await expect(names.addressesOf('hook')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    writeFileSync(join(folder, 'resolv.conf'), 'search apps.svc.cluster.local\n');
    expect(await names.addressesOf('hook')).toEqual([{ address: '10.1.2.3', family: 4 }]);
  });

  it('are not looked for in search domains where nothing private may be called', async () => {
    const strict = new HostNames({ folder, nameservers, isSearching: false });
    await expect(strict.addressesOf('hook.apps')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect(await strict.addressesOf('live.example')).toHaveLength(2);
    expect(asked).toEqual(['hook.apps', 'live.example']);
  });

  it('are called only when every address of theirs may be', async () => {
    const resolve = (allowed: string): Promise<unknown> =>
      new Promise((done) => {
        const guard = new AddressGuard([allowed], names);
        guard.lookup('live.example', { all: true }, (error, addresses) => done(error ?? addresses));
      });
    expect(await resolve('198.51.100.7/32')).toMatchObject({ code: 'ADDRESS_FORBIDDEN' });
    expect(await resolve('198.51.100.0/24')).toHaveLength(2);
  });
});
