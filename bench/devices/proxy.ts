/** A device-proxy with its own infrastructure, a registry that creates devices, one account, and simulated devices. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { AccessAccounts } from '@lanyard/contracts';
import { Customer, identityHeaders } from '../../tools/testing/customer.ts';
import { root } from '../../tools/lanyard/project.ts';
import { scrape, sum } from '../../tools/testing/metrics.ts';
import { endsWithThisProcess } from '../../tools/testing/program.ts';
import { Simulator } from '../../tools/testing/simulator.ts';
import { type BenchSystem, only } from '../system.ts';
import type { Readable } from 'node:stream';

/** The registry is needed too: without it, no new device is accepted. */
export const proxyOnly = only({ registry: 1, 'device-proxy': 1 });

/** The proxy as seen from outside, with the facts that the gateway would have announced. */
export class Proxy extends Customer {
  system: BenchSystem;
  url: string;

  constructor(system: BenchSystem) {
    super(system.secrets.accountId, ['devices']);
    this.system = system;
    this.url = system.unit('device-proxy-0').unit.address;
  }

  /** Announces the account, whose devices are created when they connect, and its key. */
  async begin() {
    const { accountId } = this;
    const { producer } = this.system;
    await producer.send(AccessAccounts, {
      ...{ accountId, tier: 'commercial' as const, status: 'active' as const, autoCreateDevices: true },
      changedAt: new Date().toISOString(),
    });
    await this.announce(producer);
    return this;
  }

  /** Observes these paths of every device that connects from now on. */
  async presubscribe(paths: string[]) {
    const response = await fetch(`${this.url}/v2/subscriptions`, {
      method: 'PUT',
      headers: {
        'content-type': 'application/json',
        ...identityHeaders(this, 'device-proxy', this.system.identityKey),
      },
      body: JSON.stringify([{ 'endpoint-type': 'simulated', 'resource-path': paths }]),
    });
    if (response.status >= 400) throw new Error(`presubscription: ${response.status} ${await response.text()}`);
  }

  async usage() {
    const samples = await scrape(this.url);
    return {
      atMs: performance.now(),
      cpuSeconds: sum(samples, 'process_cpu_seconds_total'),
      produced: sum(samples, 'lanyard_kafka_produced_total'),
      sessions: sum(samples, 'lanyard_device_proxy_sessions'),
    };
  }
}

/** A process of `bare-reporters.ts`: devices that only report. */
export class Reporters extends Simulator {
  lines: Interface;

  /** @param first the number of the first device, with which its name ends */
  static async report(server: string, devices: number, paths: readonly string[], first = 0) {
    const args = [join(root, 'bench/devices/bare-reporters.ts'), server, `${first}-${first + devices}`, ...paths];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    endsWithThisProcess(child);
    return new Reporters(child, createInterface({ input: child.stdout as Readable }));
  }

  constructor(child: ChildProcess, lines: Interface) {
    super(child, '', []);
    this.lines = lines;
  }

  /** Limits the values per second from now on. */
  async limit(perSecond: number) {
    await this.ask(String(perSecond));
  }

  override async state() {
    const text = await this.ask('');
    return { atMs: performance.now(), updates: 0, ...JSON.parse(text) };
  }

  private async ask(question: string): Promise<string> {
    const line = once(this.lines, 'line');
    this.child.stdin?.write(`${question}\n`);
    const [text] = await line;
    return text;
  }
}
