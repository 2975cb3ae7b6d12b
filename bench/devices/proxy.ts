/** A device-proxy on engines of its own, a registry that creates the devices, an account that lets every device in, and simulated devices. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { AccessAccounts, AccessKeys } from '@lanyard/contracts';
import { hashSecret, identityHeader, newId, newSecret, signIdentity } from '@lanyard/service';
import { root } from '../../tools/lanyard/project.ts';
import { scrape, sum } from '../../tools/testing/metrics.ts';
import { Simulator } from '../../tools/testing/simulator.ts';
import type { BenchSystem } from '../system.ts';
import type { Readable } from 'node:stream';

/** Of `system`: one device-proxy, and the registry, without which no device is new. */
export const proxyOnly = {
  gateway: 0,
  registry: 1,
  'device-proxy': 1,
  snapshot: 0,
  'event-log': 0,
  dispatcher: 0,
};

/** The proxy as seen from outside, and the facts that the gateway would have announced. */
export class Proxy {
  system: BenchSystem;
  accountId: string;
  keyId = newId();
  url: string;

  constructor(system: BenchSystem) {
    this.system = system;
    this.accountId = system.secrets.accountId;
    this.url = system.unit('device-proxy-0').unit.address;
  }

  async announce() {
    const { accountId, keyId } = this;
    const changedAt = new Date().toISOString();
    const { producer } = this.system;
    await producer.send(AccessAccounts, {
      accountId,
      tier: 'commercial',
      status: 'active',
      autoCreateDevices: true,
      changedAt,
    });
    await producer.send(AccessKeys, {
      keyId,
      accountId,
      hash: hashSecret(newSecret(accountId, keyId)),
      groups: [],
      permissions: ['devices'],
      tier: 'commercial',
      status: 'active',
      revision: 1,
      changedAt,
    });
    return this;
  }

  /** Every device that comes is observed there from now on. */
  async presubscribe(paths: string[]) {
    const { accountId, keyId, system } = this;
    const identity = {
      accountId,
      keyId,
      groups: [],
      permissions: ['devices'],
      tier: 'commercial' as const,
      requestId: newId(),
    };
    const response = await fetch(`${this.url}/v2/subscriptions`, {
      method: 'PUT',
      headers: {
        'content-type': 'application/json',
        [identityHeader]: signIdentity(identity, 'device-proxy', system.identityKey, Date.now()),
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

  static async report(server: string, devices: number, paths: readonly string[]) {
    const { port } = new URL(server);
    const child = spawn(
      process.execPath,
      [join(root, 'bench/devices/bare-reporters.ts'), port, String(devices), ...paths],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    process.once('exit', () => child.kill('SIGKILL'));
    return new Reporters(child, createInterface({ input: child.stdout as Readable }));
  }

  constructor(child: ChildProcess, lines: Interface) {
    super(child, '');
    this.lines = lines;
  }

  override async state() {
    const line = once(this.lines, 'line');
    this.child.stdin?.write('\n');
    const [text] = await line;
    return { atMs: performance.now(), updates: 0, ...JSON.parse(text) };
  }
}
