/** Two replicas of each service on engines of their own, as durable as under `npm start`. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { startConstellation } from '../lanyard/constellation.mjs';
import { removeData } from '../lanyard/engine-processes.mjs';
import { answers, waitUntil } from '../lanyard/probes.mjs';
import { isAlive, isProcess, kill, stopProcess } from '../lanyard/processes.mjs';
import { root, sleep } from '../lanyard/project.mjs';
import { apps } from '../lanyard/service-processes.mjs';

/** The machine may be busy with other things. */
const startWithinMs = 600_000;

/** Longer than any service takes to drain. */
const stopWithinMs = 45_000;

const twoOfEach = Object.fromEntries(apps.map((app) => [app, 2]));

export class DrillSystem {
  /** @param {import('../lanyard/constellation.mjs').Constellation} constellation @param {() => void} cleanUp */
  constructor(constellation, cleanUp) {
    this.constellation = constellation;
    this.cleanUp = cleanUp;
  }

  /**
   * @param {{ replicas?: Partial<Record<typeof apps[number], number>>, rootOf?: string, prepare?: (dataDir: string) => void }} [options]
   *   `rootOf`: checkout that all services come from at first; `prepare`: before anything is started
   */
  static async start({ replicas = twoOfEach, rootOf, prepare } = {}) {
    mkdirSync(join(root, '.lanyard'), { recursive: true });
    const dataDir = mkdtempSync(join(root, '.lanyard/drill-'));
    prepare?.(dataDir);
    const env = {
      LOG_LEVEL: 'info',
      // The load comes from one address and one key.
      GATEWAY_KEY_RATE_PER_SECOND: '5000',
      GATEWAY_KEY_RATE_BURST: '10000',
    };
    const cleanUp = () => {
      if (!process.env.LANYARD_KEEP_TEST_DATA) removeData(dataDir);
    };
    const options = { dataDir, cleanUp, freePorts: true, supervise: false, quiet: true, env, replicas, startWithinMs };
    try {
      const constellation = await startConstellation({ ...options, ...(rootOf && { rootOf }) });
      return new DrillSystem(constellation, cleanUp);
    } catch (error) {
      cleanUp();
      throw error;
    }
  }

  /** `gateway-0`, `gateway-1`, `registry-0` … */
  get replicaNames() {
    return this.constellation.replicas.map(({ name }) => name);
  }

  /**
   * Ends a process and starts it again; resolves when it is ready. Gives the ms until it had ended.
   * @param {string} name @param {NodeJS.Signals} [signal] its own when left out: a stop in order
   */
  async restart(name, signal) {
    const { unit, launch } = this.constellation.unit(name);
    const started = performance.now();
    if (signal === 'SIGKILL') {
      kill(unit.pid ?? 0, signal);
      while (isAlive(unit.pid)) await sleep(5);
    } else await stopProcess(unit.pid, { signal: unit.stopSignal, waitMs: stopWithinMs });
    const endedMs = performance.now() - started;
    unit.pid = launch();
    await this.ready(name);
    return endedMs;
  }

  /** @param {string} name */
  async ready(name) {
    const entry = this.constellation.unit(name);
    const { unit } = entry;
    const ready = () =>
      unit.kind === 'engine' ? answers[/** @type {'kafka'} */ (name)](unit.address) : answers.service(unit.address);
    await waitUntil(
      name,
      async () => {
        // A supervisor starts again what gives up because an engine is not there yet.
        if (!isProcess(unit.pid, unit.marker)) {
          await sleep(250);
          unit.pid = entry.launch();
        }
        return ready();
      },
      { timeoutMs: 180_000, hint: `See ${join(this.constellation.logs, `${name}.log`)}` },
    );
  }

  async stopServices() {
    const services = this.constellation.supervised.filter(({ unit }) => unit.kind === 'service');
    await Promise.all(services.map(({ unit }) => stopProcess(unit.pid, { waitMs: stopWithinMs })));
  }

  async startServices() {
    await Promise.all(this.replicaNames.map((name) => this.ready(name)));
  }

  /** Services that exited unexpectedly: restarted, as a supervisor would. */
  async revive() {
    /** @type {string[]} */
    const dead = [];
    for (const { unit } of this.constellation.supervised)
      if (!isProcess(unit.pid, unit.marker)) {
        dead.push(unit.name);
        await this.ready(unit.name);
      }
    return dead;
  }

  async stop() {
    await this.constellation.stop();
    this.cleanUp();
  }
}
