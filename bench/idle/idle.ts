/** One replica of each service without any work, compared with the same number of processes that hold the same connections open. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeviceValues } from '@lanyard/contracts';
import { sleep } from '../../tools/lanyard/project.ts';
import { apps } from '../../tools/lanyard/service-processes.ts';
import { startProgram } from '../../tools/testing/program.ts';
import { cpuSeconds, residentBytes } from '../machine.ts';
import { round } from '../statistics.ts';
import { BenchSystem } from '../system.ts';
import type { Bench } from '../benches.ts';

/** Processes still work for a while after a start; they are measured after this time. */
const settledMs = 60_000;

class TimedSystem extends BenchSystem {
  readySeconds = NaN;

  /** Called once the infrastructure answers: the time of the start counts from here. */
  override async startServices() {
    const startedAt = performance.now();
    await super.startServices();
    this.readySeconds = (performance.now() - startedAt) / 1_000;
  }
}

const usageOf = async (pids: Record<string, number | undefined>, seconds: number) => {
  await sleep(settledMs);
  const names = Object.keys(pids);
  const before = names.map((name) => cpuSeconds(pids[name]));
  await sleep(seconds * 1_000);
  return names.map((name, n) => ({
    name,
    cpu: ((cpuSeconds(pids[name]) - (before[n] ?? 0)) / seconds) * 100,
    mb: residentBytes(pids[name]) / 1e6,
  }));
};

const total = (all: Awaited<ReturnType<typeof usageOf>>, what: 'cpu' | 'mb') =>
  round(all.reduce((sum, one) => sum + one[what], 0));

export const idle: Bench = {
  about: `the ${apps.length} services without work: memory, CPU, seconds until they are ready, beside bare processes (Linux)`,
  alone: true,
  async run({ seconds, say }) {
    // Nothing is compiled before the first start.
    const compiled = mkdtempSync(join(tmpdir(), 'lanyard-compiled-'));
    const system = new TimedSystem({}, { NODE_COMPILE_CACHE: compiled });
    await system.start();
    try {
      const names = system.replicaNames;
      const pids = () => Object.fromEntries(names.map((name) => [name, system.unit(name).unit.pid]));
      const used = await usageOf(pids(), 3 * seconds);
      for (const { name, cpu, mb } of used) say(`${name}: ${cpu.toFixed(2)} % of a core, ${mb.toFixed(0)} MB`);
      const startedAt = performance.now();
      await system.stopServices();
      const stoppedAt = performance.now();
      await Promise.all(names.map((name) => system.ready(name)));
      const againSeconds = (performance.now() - stoppedAt) / 1_000;
      await system.stopServices();
      const { brokersUrl, databaseUrl, redisUrl } = { brokersUrl: system.brokers.join(), ...system.infrastructureUrls };
      const bareStartedAt = performance.now();
      const args = [brokersUrl, DeviceValues.name, databaseUrl, redisUrl];
      const bare = await Promise.all(names.map(() => startProgram('bench/idle/bare-service.ts', ...args)));
      const bareSeconds = (performance.now() - bareStartedAt) / 1_000;
      const bareUsed = await usageOf(
        Object.fromEntries(bare.map(({ child }, n) => [String(n), child.pid])),
        3 * seconds,
      );
      for (const { stop } of bare) stop();
      return {
        services: names.length,
        cpu_percent: total(used, 'cpu'),
        bare_cpu_percent: total(bareUsed, 'cpu'),
        memory_mb: total(used, 'mb'),
        bare_memory_mb: total(bareUsed, 'mb'),
        first_ready_s: round(system.readySeconds),
        ready_again_s: round(againSeconds),
        bare_ready_s: round(bareSeconds),
        stopped_s: round((stoppedAt - startedAt) / 1_000),
      };
    } finally {
      await system.stop();
      rmSync(compiled, { recursive: true });
    }
  },
};
