/** A device-proxy on engines of its own, a registry that creates the devices, an account that lets every device in, and simulated devices. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { AccessAccounts, AccessKeys } from '@lanyard/contracts';
import { hashSecret, identityHeader, newId, newSecret, signIdentity } from '@lanyard/service';
import { root } from '../../tools/lanyard/project.mjs';

/** Of `system`: one device-proxy, and the registry, without which no device is new. */
export const proxyOnly = {
  gateway: 0,
  registry: 1,
  'device-proxy': 1,
  snapshot: 0,
  'event-log': 0,
  dispatcher: 0,
};

export const sleep = (/** @type {number} */ ms) => new Promise((done) => setTimeout(done, ms));

/**
 * On a connection of its own: a process that stood still closes those that were idle meanwhile, at the moment in which
 * it is asked. @param {string} url
 */
const metricsOf = async (url) => (await fetch(`${url}/metrics`, { headers: { connection: 'close' } })).text();

/** Samples of a Prometheus page, by name and labels as they are written there. @param {string} url */
const scrape = async (url) => {
  const text = await metricsOf(url);
  return new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map(
        (line) =>
          /** @type {[string, number]} */ ([
            line.slice(0, line.lastIndexOf(' ')),
            Number(line.slice(line.lastIndexOf(' '))),
          ]),
      ),
  );
};

/** Sum over all labels. @param {Map<string, number>} samples @param {string} name */
const sum = (samples, name) =>
  [...samples].reduce((total, [key, value]) => (key === name || key.startsWith(`${name}{`) ? total + value : total), 0);

/** The proxy as seen from outside, and the facts that the gateway would have announced. */
export class Proxy {
  /** @param {import('../system.mjs').System} system */
  constructor(system) {
    this.system = system;
    this.accountId = system.constellation.secrets.accountId;
    this.keyId = newId();
    this.url = system.constellation.unit('device-proxy-0').unit.address;
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

  /** Every device that comes is observed there from now on. @param {string[]} paths */
  async presubscribe(paths) {
    const { accountId, keyId, system } = this;
    const identity = {
      accountId,
      keyId,
      groups: [],
      permissions: ['devices'],
      tier: /** @type {const} */ ('commercial'),
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

/** Sessions that a replica of the device-proxy owns. @param {string} url */
export const sessionsAt = async (url) => sum(await scrape(url), 'lanyard_device_proxy_sessions');

/** A process of simulated devices. */
export class Devices {
  /** @param {Record<string, string | number | boolean>} options as on its command line */
  static async start(options) {
    const args = Object.entries(options).flatMap(([name, value]) =>
      value === true ? [`--${name}`] : [`--${name}`, String(value)],
    );
    const child = spawn(
      process.execPath,
      [join(root, 'apps/simulator/dist/main.js'), '--report-seconds', '3600', ...args],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    // A benchmark that fails leaves nothing behind.
    process.once('exit', () => child.kill('SIGKILL'));
    const url = await new Promise((ready, failed) => {
      child.once('exit', () => failed(new Error('the simulator ended')));
      createInterface({ input: child.stdout }).once('line', (line) => ready(/(http:.*)\/metrics/.exec(line)?.[1]));
    });
    child.removeAllListeners('exit');
    return new Devices(child, String(url));
  }

  /** @param {import('node:child_process').ChildProcess} child @param {string} url */
  constructor(child, url) {
    this.child = child;
    this.url = url;
  }

  async state() {
    const samples = await scrape(this.url);
    const event = (/** @type {string} */ name) =>
      [...samples].find(
        ([key]) => key.startsWith('lanyard_simulator_events_total{') && key.includes(`event="${name}"`),
      )?.[1] ?? 0;
    return {
      atMs: performance.now(),
      registered: sum(samples, 'lanyard_simulator_registered'),
      observations: sum(samples, 'lanyard_simulator_observations'),
      updates: event('updated'),
      values: event('value-sent'),
      lost: event('value-lost') + event('silence') + event('refused'),
    };
  }

  /** How often the devices executed what, by argument. @param {string} path */
  async executions(path) {
    const all = /** @type {Record<string, number>} */ (await (await fetch(`${this.url}/executions`)).json());
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const [key, times] of Object.entries(all)) {
      const [, executed, argument = ''] = key.split(' ');
      if (executed === path) counts.set(argument, (counts.get(argument) ?? 0) + times);
    }
    return counts;
  }

  /** @param {(state: Awaited<ReturnType<Devices['state']>>) => boolean} condition @param {string} what */
  async until(condition, what, timeoutMs = 300_000) {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const state = await this.state();
      if (condition(state)) return state;
      if (performance.now() > deadline)
        throw new Error(`${what}: not within ${timeoutMs / 1_000} s: ${JSON.stringify(state)}`);
      await sleep(50);
    }
  }

  /** At once: devices that go without a word. */
  async kill() {
    const gone = new Promise((done) => this.child.once('exit', done));
    this.child.kill('SIGKILL');
    await gone;
  }
}

/** A process of `bare-reporters.mjs`: devices that only report. */
export class Reporters extends Devices {
  /** @param {string} server @param {number} devices @param {readonly string[]} paths */
  static async report(server, devices, paths) {
    const { port } = new URL(server);
    const child = spawn(
      process.execPath,
      [join(root, 'bench/devices/bare-reporters.mjs'), port, String(devices), ...paths],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    process.once('exit', () => child.kill('SIGKILL'));
    return new Reporters(
      child,
      createInterface({ input: /** @type {import('node:stream').Readable} */ (child.stdout) }),
    );
  }

  /** @param {import('node:child_process').ChildProcess} child @param {import('node:readline').Interface} lines */
  constructor(child, lines) {
    super(child, '');
    this.lines = lines;
  }

  /** @override */
  async state() {
    const line = once(this.lines, 'line');
    this.child.stdin?.write('\n');
    const [text] = await line;
    return { atMs: performance.now(), updates: 0, ...JSON.parse(text) };
  }
}
