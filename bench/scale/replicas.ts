/** Replicas that have a part of a core each: first eight of them, then four, two and one. */
import { sleep } from '../../tools/lanyard/project.ts';
import { cpuSeconds } from '../machine.ts';
import { lineOf, round } from '../statistics.ts';
import { Quota, whyNoQuotas } from './quota.ts';
import type { Context } from '../benches.ts';

export const replicasMax = 8;
const share = 0.1;
/** How long the other replicas need to take over from one that ended. */
const settledMs = 10_000;

export const aboutQuotas = `with ${share * 100} % of a core each (Linux, root)`;

interface Measured {
  perSecond: number;
  count: number;
  [figure: string]: number;
}

interface Work {
  app: 'dispatcher' | 'device-proxy';
  warmUp: () => Promise<unknown>;
  /** Measures the highest rate. */
  measure: (replicas: number) => Promise<Measured>;
  /** Further figures. */
  afterwards?: (replicas: number) => Promise<Record<string, number>>;
}

/**
 * Figures for each number of replicas: those measured, the CPU time of replicas, Kafka and Redis for each event, and the share of
 * their quota that the replicas used: if it is below 1, they waited for something else.
 */
export const inSteps = async ({ system, say }: Context, { app, warmUp, measure, afterwards }: Work) => {
  const reason = whyNoQuotas();
  if (reason) {
    say(`left out: ${reason}`);
    return {};
  }
  // Warmed up without limits, because code is compiled while it runs.
  await warmUp();
  const names = Array.from({ length: replicasMax }, (_, n) => `${app}-${n}`);
  const pid = (name: string) => system.unit(name).unit.pid;
  for (const name of names) new Quota(name).limit(pid(name), share);
  const figures: Record<string, number> = {};
  for (let replicas = replicasMax; replicas >= 1; replicas /= 2) {
    for (const name of names.splice(replicas)) system.signal(name, 'SIGTERM');
    await sleep(settledMs);
    const used = () => names.reduce((sum, name) => sum + cpuSeconds(pid(name)), 0);
    const servers = () => ['kafka', 'redis'].map((name) => cpuSeconds(pid(name)));
    const [before, [kafka = 0, redis = 0], startedAtMs] = [used(), servers(), performance.now()];
    const { perSecond, count, ...found } = await measure(replicas);
    const [kafkaAfter = 0, redisAfter = 0] = servers();
    const usedSeconds = used() - before;
    const seconds = (performance.now() - startedAtMs) / 1_000;
    const step = {
      per_second: perSecond,
      ...found,
      cpu_us: (usedSeconds / count) * 1e6,
      kafka_cpu_us: ((kafkaAfter - kafka) / count) * 1e6,
      redis_cpu_us: ((redisAfter - redis) / count) * 1e6,
      quota_used_share: usedSeconds / seconds / replicas / share,
      ...(await afterwards?.(replicas)),
    };
    say(`${replicas}: ${lineOf(step)}`);
    for (const [name, value] of Object.entries(step)) figures[`${replicas}_replicas_${name}`] = round(value);
  }
  const one = figures['1_replicas_per_second'] ?? NaN;
  for (let n = 2; n <= replicasMax; n *= 2)
    figures[`${n}_replicas_ratio`] = round((figures[`${n}_replicas_per_second`] ?? NaN) / one);
  return figures;
};
