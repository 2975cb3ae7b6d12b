/** Tests all of docker-compose.yml beside a system that may be running, with its own ports and volumes, which it removes afterwards. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Lanyard } from '@lanyard/client';
import { ensureInfrastructureImages } from '../images/infrastructure.ts';
import { hasImage } from '../images/programs.ts';
import { outputOf, runProgram, succeeds } from '../lanyard/programs.ts';
import { stopWhenInterrupted } from '../lanyard/interrupt.ts';
import { tcpPort } from '../lanyard/ports.ts';
import { waitUntil } from '../lanyard/probes.ts';
import { root, say, Stop } from '../lanyard/project.ts';
import { apps } from '../lanyard/service-processes.ts';
import { followTour, type TourSystem } from '../tour/tour.ts';
import { type ComposeProgram, findCompose } from './program.ts';

const project = 'lanyard-check';

/** A device that sent a request before the server ran sends it again after MAX_TRANSMIT_WAIT, 93 s. */
const patienceMs = 300_000;

/** The default of each port variable of the file. */
const usualPorts = {
  GATEWAY_PORT: 8080,
  COAP_PORT: 5683,
  COAPS_PORT: 5684,
  KAFKA_PORT: 9092,
  POSTGRES_PORT: 5432,
  REDIS_PORT: 6379,
};

/** Images of the file that have not been built: the first `up` of a clone would take minutes. */
const missingImages = ({ builder }: ComposeProgram) =>
  [...apps, 'device'].filter((name) => !hasImage(builder, `docker.io/library/lanyard-${name}:dev`));

class Check {
  private readonly folder = mkdtempSync(join(tmpdir(), 'lanyard-compose-'));
  private readonly environment = join(this.folder, 'env');
  private readonly compose: ComposeProgram;
  private ports = usualPorts;

  constructor(compose: ComposeProgram) {
    this.compose = compose;
  }

  async prepare() {
    execFileSync(process.execPath, ['deploy/compose/secrets.mjs', this.environment], { cwd: root, stdio: 'ignore' });
    const free = await Promise.all(
      Object.entries(usualPorts).map(async ([name, port]) => [name, await tcpPort(port)] as const),
    );
    this.ports = Object.fromEntries(free) as typeof usualPorts;
    appendFileSync(this.environment, free.map(([name, port]) => `${name}=${port}\n`).join(''));
  }

  get system(): TourSystem {
    const { GATEWAY_PORT, COAPS_PORT } = this.ports;
    return {
      baseUrl: `http://127.0.0.1:${GATEWAY_PORT}`,
      coapsUrl: `coaps://127.0.0.1:${COAPS_PORT}`,
      keyFile: join(this.folder, 'admin.key'),
    };
  }

  private arguments(...args: string[]) {
    const { first } = this.compose;
    return [...first, '-f', 'docker-compose.yml', '-p', project, '--env-file', this.environment, ...args];
  }

  private run(...args: string[]) {
    return runProgram(this.compose.command, this.arguments(...args));
  }

  private passes(...args: string[]) {
    return succeeds(this.compose.command, this.arguments(...args), 20_000);
  }

  /** Starts everything. Resolves with the seconds until each service reports that it is ready. */
  async up() {
    const started = Date.now();
    await this.run('up', '-d', '--no-build');
    for (const app of apps) {
      const isReady = async () => this.passes('exec', '-T', app, '/usr/local/bin/node', '/app/healthcheck.mjs');
      await waitUntil(app, isReady, { timeoutMs: patienceMs, intervalMs: 500 });
    }
    say(`every service is ready ${Math.round((Date.now() - started) / 1_000)} s after up`);
  }

  /** Removes containers and networks; the data stay. */
  down() {
    return this.run('down');
  }

  async stopDevice() {
    await this.run('stop', 'device');
  }

  fetchKey() {
    const read = "fs.readFileSync('/run/lanyard/admin.key', 'utf8')";
    const args = this.arguments('exec', '-T', 'gateway', '/usr/local/bin/node', '-p', read);
    const key = execFileSync(this.compose.command, args, { cwd: root, encoding: 'utf8' });
    writeFileSync(this.system.keyFile, key, { mode: 0o600 });
    return new Lanyard({ baseUrl: this.system.baseUrl, key: key.trim(), retries: 10 });
  }

  reportMemory() {
    const lines = outputOf(this.compose.builder, ['stats', '--no-stream', '--format', '{{.Name}} {{.MemUsage}}'])
      .split('\n')
      .filter((line) => line.startsWith(project));
    for (const line of lines) say(line);
  }

  async end() {
    await this.run('down', '--volumes').catch(() => undefined);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The thermometer of the file, by its id, once it is registered. */
const thermometer = async (lanyard: Lanyard) => {
  let id = '';
  const isThere = async () => {
    for await (const device of lanyard.items('GET /v3/devices', { query: { state: 'registered' } }))
      if (device.endpoint_name === 'thermo-1') id = device.id;
    return id !== '';
  };
  await waitUntil('thermo-1', isThere, { timeoutMs: patienceMs });
  return id;
};

/** How many values the history has of the device, and how many entries the event log. */
const knownOf = async (lanyard: Lanyard, deviceId: string) => {
  const query = { path: '/3303/0/5700' };
  const { values } = await lanyard.call('GET /v3/devices/{deviceId}/history', { path: { deviceId }, query });
  const events = await Array.fromAsync(lanyard.items('GET /v3/device-events', { query: { device_id: deviceId } }));
  return { values: values.length, events: events.length };
};

const travel = async (check: Check) => {
  await check.up();
  const first = check.fetchKey();
  const id = await thermometer(first);
  await check.stopDevice();
  await followTour(check.system);
  const before = await knownOf(first, id);
  check.reportMemory();
  await check.down();
  await check.up();
  const again = check.fetchKey();
  if ((await thermometer(again)) !== id) throw new Stop('thermo-1 is another device after down and up');
  const after = await knownOf(again, id);
  say(
    `of thermo-1: ${before.values} values, ${before.events} events; after down and up ${after.values}, ${after.events}`,
  );
  if (before.values === 0 || after.values < before.values || after.events < before.events)
    throw new Stop('data were lost between down and up');
  await check.stopDevice();
  // The channel of `lanyard forward`, which is in the way of step 1. This fails if it did not survive down and up.
  await again.call('DELETE /v2/notification/pull');
  await followTour(check.system);
};

export const check = async () => {
  const compose = await findCompose();
  const missing = missingImages(compose);
  if (missing.length > 0) throw new Stop(`There is no image of ${missing.join(', ')}: npm run images builds them.`);
  await ensureInfrastructureImages(compose.builder);
  const one = new Check(compose);
  const notInterrupted = stopWhenInterrupted(() => one.end());
  try {
    await one.prepare();
    await travel(one);
    say('compose: passed');
  } finally {
    notInterrupted();
    await one.end();
  }
};
