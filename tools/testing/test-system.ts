/** The whole system for tests, benchmarks and drills: on free ports, not supervised, with its own data. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { removeData } from '../lanyard/infrastructure-processes.ts';
import { isProcess, stopProcess } from '../lanyard/processes.ts';
import { dataFolder } from '../lanyard/project.ts';
import { stopWhenInterrupted } from '../lanyard/interrupt.ts';
import { stopWithinMs, System, type SystemOptions } from '../lanyard/system.ts';

/** `prepare`: called before anything is started */
export type TestSystemOptions = Partial<SystemOptions> & { name: string; prepare?: (dataDir: string) => void };

export class TestSystem extends System {
  notInterrupted = stopWhenInterrupted(() => this.stop());

  constructor({ name, prepare, ...options }: TestSystemOptions) {
    mkdirSync(dataFolder(), { recursive: true });
    const dataDir = mkdtempSync(join(dataFolder(), `${name}-`));
    prepare?.(dataDir);
    super({ dataDir, freePorts: true, supervise: false, quiet: true, ...options });
  }

  /** `gateway-0`, `gateway-1`, `registry-0` … */
  get replicaNames() {
    return this.replicas.map(({ name }) => name);
  }

  async stopServices() {
    const services = this.supervised.filter(({ unit }) => unit.kind === 'service');
    await Promise.all(services.map(({ unit }) => stopProcess(unit.pid, { waitMs: stopWithinMs })));
  }

  /** Processes that exited without being told to. */
  get dead() {
    return this.supervised.flatMap(({ unit }) => (isProcess(unit.pid, unit.marker) ? [] : [unit.name]));
  }

  /** Restarts the dead processes, as a supervisor would. */
  async revive() {
    const { dead } = this;
    await Promise.all(dead.map((name) => this.ready(name)));
    return dead;
  }

  override async stop() {
    this.notInterrupted();
    // A suspended process cannot stop.
    for (const { unit } of this.supervised) this.signal(unit.name, 'SIGCONT');
    await super.stop();
    if (!process.env.LANYARD_KEEP_TEST_DATA) removeData(this.options.dataDir);
  }
}
