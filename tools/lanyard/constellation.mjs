/** The whole system on one machine: engines, then services, each a process of its own. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEngines } from './engines.mjs';
import { stopWhenInterrupted } from './interrupt.mjs';
import { tcpPort, udpPort } from './ports.mjs';
import { answers, waitUntil } from './probes.mjs';
import { isProcess, kill, launch, processOf, stopProcess } from './processes.mjs';
import { root, say } from './project.mjs';
import { apps, entryPoint, environment, version } from './service-processes.mjs';
import { secretsOf, StateFile } from './state.mjs';
import { Supervisor } from './supervisor.mjs';

/**
 * @typedef {import('./service-processes.mjs').App} App
 * @typedef {import('./service-processes.mjs').Replica} Replica
 * @typedef {import('./service-processes.mjs').EngineUrls} EngineUrls
 * @typedef {{
 *   dataDir: string,
 *   replicas?: Partial<Record<App, number>>,
 *   engines?: Partial<EngineUrls>,
 *   env?: Record<string, string>,
 *   freePorts?: boolean,
 *   fast?: boolean,
 *   supervise?: boolean,
 *   quiet?: boolean,
 *   rootOf?: string,
 *   startWithinMs?: number,
 *   cleanUp?: () => void,
 * }} ConstellationOptions `engines`: those that run elsewhere; `env`: added to every service;
 *   `rootOf`: another checkout that the services come from;
 *   `startWithinMs`: services that give up at their start are started again until then;
 *   `cleanUp`: an interrupted command stops everything, and does this at the end
 */

const usualPorts = {
  gateway: 8080,
  registry: 8081,
  'device-proxy': 8082,
  snapshot: 8083,
  'event-log': 8084,
  dispatcher: 8085,
};

const usualCoapPort = Number(process.env.LANYARD_COAP_PORT || 5683);

/** Replica `dispatcher-1` gets a port of its own, remembered like the others. @param {App} app @param {number} n */
const wantedPort = (app, n) => {
  if (n > 0) return 0;
  return app === 'gateway' ? Number(process.env.LANYARD_HTTP_PORT || usualPorts.gateway) : usualPorts[app];
};

/**
 * MB of V8's young generation, of what fills the usual 16 so often that collecting it shows (docs/performance.md). What
 * waits for Kafka survives each collection, and is copied.
 * @type {Partial<Record<string, number>>}
 */
const semiSpaces = { gateway: 32, dispatcher: 32, 'device-proxy': 64 };

/** Of Node, as in the Dockerfile and in k8s. @param {string} app */
const flagsOf = (app) => [
  '--enable-source-maps',
  ...(semiSpaces[app] ? [`--max-semi-space-size=${semiSpaces[app]}`] : []),
];

export class Constellation {
  /** @param {ConstellationOptions} options */
  constructor(options) {
    this.options = options;
    this.file = new StateFile(options.dataDir);
    this.secrets = secretsOf(options.dataDir);
    this.keyFile = join(options.dataDir, 'admin.key');
    this.logs = join(options.dataDir, 'logs');
    this.coapHost = process.env.LANYARD_COAP_HOST || '127.0.0.1';
    this.say = options.quiet ? () => undefined : say;
    /** @type {Replica[]} */
    this.replicas = [];
    /** @type {import('./supervisor.mjs').Supervised[]} */
    this.supervised = [];
    /** Where a replica's program comes from at its next start, when not from here. @type {Map<string, string>} */
    this.roots = new Map();
    /** @type {import('./state.mjs').Unit[]} */
    this.leftOvers = this.file.state.units;
    /** @type {(() => void) | undefined} */
    this.notInterrupted = undefined;
    mkdirSync(this.logs, { recursive: true, mode: 0o700 });
  }

  async start() {
    await this.stopOrphanServices();
    const engines = await startEngines({
      ...this.options,
      logs: this.logs,
      state: this.file.state,
      launchUnit: (unit, launchIt) => this.file.launch(unit, launchIt),
      leftOvers: this.leftOvers,
      secrets: this.secrets,
      say: this.say,
    });
    this.urls = engines.urls;
    this.supervised.push(...engines.supervised);
    this.file.state.units = engines.units;
    this.file.save();
    this.replicas = await this.planReplicas();
    await this.startServices();
    this.file.state.started_at = new Date().toISOString();
    this.file.save();
    if (this.options.supervise !== false) {
      this.supervisor = new Supervisor(this.supervised, { onChange: () => this.file.save(), report: this.say });
      this.supervisor.start();
    }
    return this;
  }

  get baseUrl() {
    return `http://127.0.0.1:${this.replicas.find((r) => r.app === 'gateway')?.port}`;
  }

  /** One per gateway. */
  get baseUrls() {
    return this.replicas.flatMap((r) => (r.app === 'gateway' ? [`http://127.0.0.1:${r.port}`] : []));
  }

  get coapUrls() {
    return this.replicas.flatMap((r) => (r.app === 'device-proxy' ? [`coap://${this.coapHost}:${r.coapPort}`] : []));
  }

  /** The first administrator key. */
  adminKey() {
    return existsSync(this.keyFile) ? readFileSync(this.keyFile, 'utf8').trim() : '';
  }

  /** @param {string} name for example `dispatcher-1` */
  unit(name) {
    const found = this.supervised.find((s) => s.unit.name === name);
    if (!found) throw new Error(`no process ${name}`);
    return found;
  }

  /** @param {string} name @param {NodeJS.Signals} [signal] */
  kill(name, signal = 'SIGKILL') {
    const { pid } = this.unit(name).unit;
    if (pid !== undefined) kill(pid, signal);
  }

  /** Without a supervisor: starts a process that ended, and waits until it is ready. @param {string} name */
  async restart(name) {
    const { unit, launch: again } = this.unit(name);
    await stopProcess(unit.pid, { signal: unit.stopSignal });
    unit.pid = again();
    await this.ready(name);
  }

  /** @param {string} name */
  async ready(name) {
    const { unit } = this.unit(name);
    await waitUntil(name, () => answers.service(unit.address), {
      alive: () => isProcess(unit.pid, unit.marker),
      hint: `See ${join(this.logs, `${name}.log`)}`,
    });
  }

  /** Services in reverse order, then the engines that are ours. */
  async stop() {
    this.notInterrupted?.();
    this.supervisor?.stop();
    const services = this.supervised.filter((s) => s.unit.kind === 'service').reverse();
    await Promise.all(services.map(({ unit }) => stopProcess(unit.pid, { waitMs: 20_000 })));
    const engines = this.supervised.filter((s) => s.unit.kind === 'engine');
    await Promise.all(engines.map(({ unit }) => stopProcess(unit.pid, { signal: unit.stopSignal, waitMs: 30_000 })));
    this.file.state.units = [];
    this.file.trySave();
  }

  /** Services of a starter that was killed: they run with old settings and without supervision. */
  async stopOrphanServices() {
    const orphans = this.leftOvers.flatMap((u) => (u.kind === 'service' ? (processOf(u) ?? []) : []));
    if (orphans.length > 0)
      this.say(`taking over: stopping ${orphans.length} services that a killed start left behind`);
    await Promise.all(orphans.map((pid) => stopProcess(pid)));
  }

  async planReplicas() {
    const { ports } = this.file.state;
    /** @type {Replica[]} */
    const replicas = [];
    for (const app of apps)
      for (let n = 0; n < (this.options.replicas?.[app] ?? 1); n++) {
        const name = `${app}-${n}`;
        ports[name] = await tcpPort(ports[name] ?? (this.options.freePorts ? 0 : wantedPort(app, n)));
        const replica = { app, name, port: ports[name] ?? 0 };
        if (app !== 'device-proxy') replicas.push(replica);
        else {
          const key = `${name}-coap`;
          ports[key] = await udpPort(
            ports[key] ?? (this.options.freePorts || n > 0 ? 0 : usualCoapPort),
            this.coapHost,
          );
          replicas.push({ ...replica, coapPort: ports[key] });
        }
      }
    return replicas;
  }

  async startServices() {
    const system = {
      replicas: this.replicas,
      engines: /** @type {EngineUrls} */ (this.urls),
      secrets: this.secrets,
      keyFile: this.keyFile,
      coapHost: this.coapHost,
      baseUrl: this.baseUrl,
      ...(this.options.env && { env: this.options.env }),
    };
    const { dataDir } = this.options;
    for (const replica of this.replicas) {
      const again = () => {
        const folder = this.roots.get(replica.name) ?? this.options.rootOf ?? root;
        return launch({
          command: process.execPath,
          args: [
            ...flagsOf(replica.app),
            entryPoint(replica.app, folder),
            `--data=${dataDir}`,
            `--replica=${replica.name}`,
          ],
          cwd: folder,
          env: environment(replica, system),
          logFile: join(this.logs, `${replica.name}.log`),
        });
      };
      /** @type {import('./state.mjs').Unit} */
      const unit = {
        kind: 'service',
        name: replica.name,
        version: version(),
        address: `http://127.0.0.1:${replica.port}`,
        marker: `--replica=${replica.name}`,
        signature: `--data=${dataDir} --replica=${replica.name}`,
        restarts: 0,
        stopSignal: 'SIGTERM',
      };
      this.supervised.push({ unit, launch: again });
      this.file.launch(unit, again);
    }
    Object.assign(this.file.state, { base_url: this.baseUrl, coap_urls: this.coapUrls, key_file: this.keyFile });
    this.file.save();
    await Promise.all(
      this.replicas.map(async ({ name }) => {
        const { unit } = this.unit(name);
        const { startWithinMs } = this.options;
        const alive = () => {
          if (isProcess(unit.pid, unit.marker)) return true;
          if (startWithinMs) unit.pid = this.unit(name).launch();
          return startWithinMs !== undefined;
        };
        await waitUntil(name, () => answers.service(unit.address), {
          alive,
          hint: `See ${join(this.logs, `${name}.log`)}`,
          ...(startWithinMs && { timeoutMs: startWithinMs }),
        });
        this.say(`${name} is ready`);
      }),
    );
  }
}

/** Starts everything; on failure what was started is stopped again. @param {ConstellationOptions} options */
export const startConstellation = async (options) => {
  const constellation = new Constellation(options);
  const { cleanUp } = options;
  if (cleanUp) constellation.notInterrupted = stopWhenInterrupted(() => constellation.stop().finally(cleanUp));
  try {
    return await constellation.start();
  } catch (error) {
    await constellation.stop();
    throw error;
  }
};
