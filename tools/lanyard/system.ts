/** The whole system on one machine: infrastructure, then services, each in its own process. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startInfrastructure } from './infrastructure.ts';
import { portPlanner } from './ports.ts';
import { answers, waitUntil } from './probes.ts';
import { isProcess, kill, launch, processOf, stopProcess } from './processes.ts';
import { root, say, Stop } from './project.ts';
import {
  apps,
  entryPoint,
  environment,
  inUrl,
  version,
  type App,
  type InfrastructureUrls,
  type Replica,
} from './service-processes.ts';
import { secretsOf, StateFile, type InstallationSecrets, type Unit } from './state.ts';
import { Supervisor, type Supervised } from './supervisor.ts';

/**
 * `infrastructure`: the servers that run elsewhere; `env`: added to every service;
 * `rootOf`: another checkout from which the services are run;
 * `startWithinMs`: services that fail to start are started again for this long;
 * `interrupted`: a start fails when this is aborted
 */
export interface SystemOptions {
  dataDir: string;
  replicas?: Partial<Record<App, number>>;
  infrastructure?: Partial<InfrastructureUrls>;
  env?: Record<string, string>;
  freePorts?: boolean;
  fast?: boolean;
  supervise?: boolean;
  quiet?: boolean;
  rootOf?: string;
  startWithinMs?: number;
  interrupted?: AbortSignal;
}

const usualPorts = {
  gateway: 8080,
  registry: 8081,
  'device-proxy': 8082,
  snapshot: 8083,
  'event-log': 8084,
  dispatcher: 8085,
  campaigns: 8086,
};

/** Services need seconds to start, and each probe takes a millisecond of the cores on which they start. */
const probePeriodMs = 200;

/** Longer than a service tries to start (START_TIMEOUT_MS), after which it logs what it was waiting for. */
export const serviceReadyWithinMs = 330_000;

/** Longer than any service takes to drain. */
export const stopWithinMs = 45_000;

const usualCoapPort = 5683;
/** Port for UDP (DTLS) and for TCP (TLS). */
const usualCoapsPort = 5684;

/**
 * MB of V8's young generation for services that fill the usual 16 so often that collecting it shows (docs/performance.md).
 * Data that wait for Kafka survive each collection, and are copied each time.
 */
const semiSpaces: Partial<Record<string, number>> = { gateway: 32, dispatcher: 32, 'device-proxy': 64 };

/** Flags of Node, as in the Dockerfile and in k8s. */
const flagsOf = (app: string) => [
  '--enable-source-maps',
  ...(semiSpaces[app] ? [`--max-semi-space-size=${semiSpaces[app]}`] : []),
];

/** The last line of a log that is neither an entry of the service or of Nest, nor part of a stack trace. */
const lastPlainLine = (log: string) =>
  readFileSync(log, 'utf8')
    .split('\n')
    .findLast((line) => /^[^\s{]/.test(line) && !line.includes('[Nest]')) ?? '';

export class System {
  options: SystemOptions;
  file: StateFile;
  secrets: InstallationSecrets;
  keyFile: string;
  logs: string;
  coapHost = process.env.LANYARD_COAP_HOST || '127.0.0.1';
  say: (text: string) => void;
  replicas: Replica[] = [];
  supervised: Supervised[] = [];
  /** Other checkouts from which replicas run their program at their next start. */
  roots = new Map<string, string>();
  leftOvers: Unit[];
  supervisor?: Supervisor;
  /** Set by `start`. */
  infrastructureUrls!: InfrastructureUrls;

  constructor(options: SystemOptions) {
    this.options = options;
    this.file = new StateFile(options.dataDir);
    this.secrets = secretsOf(options.dataDir);
    this.keyFile = join(options.dataDir, 'admin.key');
    this.logs = join(options.dataDir, 'logs');
    this.say = options.quiet ? () => undefined : say;
    this.leftOvers = this.file.state.units;
    mkdirSync(this.logs, { recursive: true, mode: 0o700 });
  }

  /** If the start fails, everything that was started is stopped again. */
  async start() {
    try {
      await this.startAll();
      return this;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async startAll() {
    await this.stopOrphanServices();
    const infrastructure = await startInfrastructure({
      ...this.options,
      logs: this.logs,
      state: this.file.state,
      launchUnit: (unit, launchIt) => this.file.launch(unit, launchIt),
      leftOvers: this.leftOvers,
      secrets: this.secrets,
      say: this.say,
    });
    this.infrastructureUrls = infrastructure.urls;
    this.supervised.push(...infrastructure.supervised);
    this.file.state.units = infrastructure.units;
    this.file.save();
    this.replicas = await this.planReplicas();
    await this.startServices();
    this.file.state.started_at = new Date().toISOString();
    this.file.save();
    if (this.options.supervise !== false) {
      this.supervisor = new Supervisor(this.supervised, { onChange: () => this.file.save(), report: this.say });
      this.supervisor.start();
    }
  }

  get baseUrl() {
    return `http://127.0.0.1:${this.replicas.find((r) => r.app === 'gateway')?.port}`;
  }

  /** One URL per gateway. */
  get baseUrls() {
    return this.replicas.flatMap((r) => (r.app === 'gateway' ? [`http://127.0.0.1:${r.port}`] : []));
  }

  get coapUrls() {
    return this.proxies.map(({ coapPort }) => `coap://${inUrl(this.coapHost)}:${coapPort}`);
  }

  /** Over DTLS. */
  get coapsUrls() {
    return this.proxies.map(({ dtlsPort }) => `coaps://${inUrl(this.coapHost)}:${dtlsPort}`);
  }

  /** Over TLS. */
  get coapsTcpUrls() {
    return this.proxies.map(({ tlsPort }) => `coaps+tcp://${inUrl(this.coapHost)}:${tlsPort}`);
  }

  private get proxies() {
    return this.replicas.filter(({ app }) => app === 'device-proxy');
  }

  /** The first administrator key. */
  get adminKey() {
    return existsSync(this.keyFile) ? readFileSync(this.keyFile, 'utf8').trim() : '';
  }

  /** @param name for example `dispatcher-1` */
  unit(name: string) {
    const found = this.supervised.find((s) => s.unit.name === name);
    if (!found) throw new Error(`no process ${name}`);
    return found;
  }

  signal(name: string, signal: NodeJS.Signals) {
    const { pid } = this.unit(name).unit;
    if (pid !== undefined) kill(pid, signal);
  }

  /**
   * Without a supervisor: ends a process, gracefully unless `signal` says otherwise, and starts it again. Resolves when it is
   * ready, with the milliseconds that its end took.
   */
  async restart(name: string, signal: NodeJS.Signals = this.unit(name).unit.stopSignal) {
    const { unit, launch: relaunch } = this.unit(name);
    const startedAt = performance.now();
    await stopProcess(unit.pid, { signal, waitMs: stopWithinMs });
    const endedMs = performance.now() - startedAt;
    unit.pid = relaunch();
    await this.ready(name);
    return endedMs;
  }

  /** Whether a service that ended while it was starting is started again. `words`: the last line of its log. */
  protected startsAgain(_words: string) {
    return this.options.startWithinMs !== undefined;
  }

  /** Waits until a process is ready. Throws Stop if it ends before, unless `startsAgain`, or if that takes too long. */
  async ready(name: string) {
    const { unit, launch: relaunch } = this.unit(name);
    const timeoutMs = this.options.startWithinMs ?? (unit.kind === 'service' ? serviceReadyWithinMs : undefined);
    const log = join(this.logs, `${name}.log`);
    const alive = () => {
      if (this.options.interrupted?.aborted) return false;
      if (isProcess(unit.pid, unit.marker)) return true;
      const words = lastPlainLine(log);
      if (!this.startsAgain(words)) throw new Stop(`${name} ended while starting. ${words}\nSee ${log}`);
      unit.pid = relaunch();
      return true;
    };
    const answer = unit.kind === 'infrastructure' ? answers[name as keyof typeof answers] : answers.service;
    await waitUntil(name, () => (answer as typeof answers.service)(unit.address), {
      alive,
      hint: `See ${log}`,
      intervalMs: probePeriodMs,
      ...(timeoutMs && { timeoutMs }),
    });
  }

  /** Stops the services, all at once, then the infrastructure that was started here. */
  async stop() {
    this.supervisor?.stop();
    const services = this.supervised.filter((s) => s.unit.kind === 'service');
    await Promise.all(services.map(({ unit }) => stopProcess(unit.pid, { waitMs: 20_000 })));
    const servers = this.supervised.filter((s) => s.unit.kind === 'infrastructure');
    await Promise.all(servers.map(({ unit }) => stopProcess(unit.pid, { signal: unit.stopSignal, waitMs: 30_000 })));
    this.file.state.units = [];
    this.file.trySave();
  }

  /** Stops services of a killed starter, which run with old settings and without supervision. */
  async stopOrphanServices() {
    const orphans = this.leftOvers.flatMap((u) => (u.kind === 'service' ? (processOf(u) ?? []) : []));
    if (orphans.length > 0)
      this.say(`taking over: stopping ${orphans.length} services that a killed start left behind`);
    await Promise.all(orphans.map((pid) => stopProcess(pid)));
  }

  async planReplicas() {
    const plan = portPlanner(this.file.state.ports);
    const replicas: Replica[] = [];
    for (const app of apps)
      for (let n = 0; n < (this.options.replicas?.[app] ?? 1); n++) {
        const name = `${app}-${n}`;
        const named = app === 'gateway' ? process.env.LANYARD_HTTP_PORT : undefined;
        const port = await plan('tcp', name, this.wantedPort(name, n, usualPorts[app], named));
        const replica = { app, name, port };
        replicas.push(app === 'device-proxy' ? { ...replica, ...(await this.devicePorts(name, n, plan)) } : replica);
      }
    return replicas;
  }

  /**
   * The recorded port, which later starts reuse, unless the operator names another one for the first replica. 0: any.
   * @param named value of the operator's variable
   */
  private wantedPort(name: string, n: number, usual: number, named: string | undefined) {
    const recorded = this.file.state.ports[name];
    if (this.options.freePorts || n > 0) return recorded ?? 0;
    return Number(named) || (recorded ?? usual);
  }

  private async devicePorts(name: string, n: number, plan: ReturnType<typeof portPlanner>) {
    const coap = `${name}-coap`;
    const [dtls, tls] = [`${coap}-dtls`, `${coap}-tls`];
    const { coapHost } = this;
    const [namedCoap, namedCoaps] = [process.env.LANYARD_COAP_PORT, process.env.LANYARD_COAPS_PORT];
    return {
      coapPort: await plan('udp', coap, this.wantedPort(coap, n, usualCoapPort, namedCoap), coapHost),
      dtlsPort: await plan('udp', dtls, this.wantedPort(dtls, n, usualCoapsPort, namedCoaps), coapHost),
      tlsPort: await plan('tcp', tls, this.wantedPort(tls, n, usualCoapsPort, namedCoaps), coapHost),
    };
  }

  async startServices() {
    const system = {
      replicas: this.replicas,
      infrastructure: this.infrastructureUrls,
      secrets: this.secrets,
      keyFile: this.keyFile,
      packagesFolder: join(this.options.dataDir, 'packages'),
      coapHost: this.coapHost,
      baseUrl: this.baseUrl,
      ...(this.options.env && { env: this.options.env }),
    };
    const { dataDir } = this.options;
    for (const replica of this.replicas) {
      const launchReplica = () => {
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
      const unit: Unit = {
        kind: 'service',
        name: replica.name,
        version: version(),
        address: `http://127.0.0.1:${replica.port}`,
        marker: `--replica=${replica.name}`,
        signature: `--data=${dataDir} --replica=${replica.name}`,
        restarts: 0,
        stopSignal: 'SIGTERM',
      };
      this.supervised.push({ unit, launch: launchReplica });
      this.file.launch(unit, launchReplica);
    }
    Object.assign(this.file.state, {
      base_url: this.baseUrl,
      coap_urls: this.coapUrls,
      coaps_urls: [...this.coapsUrls.map((url) => `${url}/udp`), ...this.coapsTcpUrls],
      key_file: this.keyFile,
    });
    this.file.save();
    await Promise.all(
      this.replicas.map(async ({ name }) => {
        await this.ready(name);
        this.say(`${name} is ready`);
      }),
    );
  }
}
