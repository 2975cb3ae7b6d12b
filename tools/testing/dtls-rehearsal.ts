/**
 * A fleet over DTLS behind a load balancer for two device-proxies that are killed, suspended and restarted while values and
 * commands flow: every connection must survive, every acknowledged value must arrive, and every command must end exactly once.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Lanyard } from '@lanyard/client';
import { sensorClient, SocketApplication } from '../drill/applications.ts';
import { acknowledged, lostValues } from '../drill/verdict.ts';
import { waitUntil } from '../lanyard/probes.ts';
import { CommandLoad } from './command-load.ts';
import { introduceDevices } from './introduced-devices.ts';
import { scrape, sessionsAt, sum } from './metrics.ts';
import { Simulator } from './simulator.ts';
import type { TestSystem } from './test-system.ts';
import { UdpBalancer } from './udp-balancer.ts';

export const proxies = ['device-proxy-0', 'device-proxy-1'] as const;

const namePrefix = 'dtls';
/** A device retransmits after 2, 4, 8 and 16 s (times up to 1.5), as RFC 7252 §4.8 says: this is longer than a lease. */
const ackTimeoutMs = 2_000;
const retransmissionsOfRfc = 4;

interface Load {
  devices: number;
  valuesPerSecond: number;
  updateSeconds: number;
  patienceMs: number;
  /** Retransmissions of each message of a device; default 4. */
  retransmissions?: number;
}

export class DtlsRehearsal {
  system: TestSystem;
  load: Load;
  folder = mkdtempSync(join(tmpdir(), 'lanyard-dtls-'));
  ids = new Map<string, string>();
  socket = new SocketApplication();
  balancer!: UdpBalancer;
  fleet!: Simulator;
  commands!: CommandLoad;

  constructor(system: TestSystem, load: Load) {
    this.system = system;
    this.load = load;
  }

  async begin() {
    const { system, load } = this;
    const { devices, updateSeconds, valuesPerSecond, retransmissions = retransmissionsOfRfc } = load;
    const lanyard = new Lanyard({ baseUrl: system.baseUrl, key: system.adminKey, retries: 10 });
    const credentialsFile = join(this.folder, 'credentials');
    const names = Array.from({ length: devices }, (_, n) => `${namePrefix}-${n}`);
    this.ids = await introduceDevices(lanyard, names, credentialsFile);
    await this.socket.start((await sensorClient(system.baseUrl, lanyard, 'values')).lanyard);
    this.balancer = await new UdpBalancer(system.coapsUrls.map((url) => Number(new URL(url).port))).start();
    this.fleet = await Simulator.start({
      devices,
      server: `coaps://127.0.0.1:${this.balancer.port}`,
      'credentials-file': credentialsFile,
      'name-prefix': namePrefix,
      'registrations-per-second': 100,
      'update-seconds': updateSeconds,
      'values-per-second': valuesPerSecond,
      'numbered-values': true,
      'ack-timeout-ms': ackTimeoutMs,
      retransmissions,
    });
    await this.until('observations', async () => (await this.fleet.state()).observations === devices);
    this.commands = await CommandLoad.start(lanyard, [...this.ids.values()]);
    return this;
  }

  get urls() {
    return proxies.map((name) => this.system.unit(name).unit.address);
  }

  /** Waits until the replica has the sessions of all devices. Resolves with how long that took. */
  async allAt(replica: 0 | 1) {
    const startedAt = performance.now();
    const url = this.urls[replica] as string;
    await this.until(`all sessions at ${url}`, async () => (await sessionsAt(url)) === this.load.devices);
    return performance.now() - startedAt;
  }

  /** Waits until this many more values have arrived. */
  async flows(values = 2 * this.load.valuesPerSecond) {
    const { inbox } = this.socket;
    const before = inbox.items;
    await this.until('values', async () => inbox.items >= before + values);
  }

  async replicaEvents(replica: 0 | 1, event: string) {
    const samples = await scrape(this.urls[replica] as string);
    return sum(samples, 'lanyard_device_proxy_dtls_replica_events_total', `event="${event}"`);
  }

  async handshakes() {
    return (await this.fleet.events('handshake')) + (await this.fleet.events('handshake-resumed'));
  }

  /** Waits for everything that was promised. Throws when a promise was broken. */
  async end() {
    const { commands, fleet, ids, socket } = this;
    const judged = await commands.finish(fleet);
    const sent = acknowledged(await fleet.values());
    const lost = () => lostValues(socket.inbox, sent, ids);
    await this.until('values', async () => lost().length === 0).catch(() => undefined);
    const figures = {
      handshakes: await this.handshakes(),
      values_acknowledged: [...sent.values()].reduce((total, numbers) => total + numbers.length, 0),
      values_lost: lost().length,
      values_repeated: socket.inbox.repeated,
      ...judged,
    };
    if (figures.values_lost > 0 || figures.handshakes !== this.load.devices)
      throw new Error(`broken: ${JSON.stringify({ ...figures, lost: lost().slice(0, 5) })}`);
    return figures;
  }

  async stop() {
    await this.commands?.stop();
    await this.fleet?.stop();
    this.socket.stop();
    this.balancer?.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  until(what: string, condition: () => Promise<boolean>) {
    return waitUntil(what, condition, { timeoutMs: this.load.patienceMs });
  }
}
