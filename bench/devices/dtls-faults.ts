/**
 * Kills, suspends and restarts each of two device-proxies in turn while devices over DTLS report and commands run. Fails when a
 * device needed another handshake, when an acknowledged value is lost, or when a command has no result or two.
 */
import { sleep } from '../../tools/lanyard/project.ts';
import { DtlsRehearsal, proxies } from '../../tools/testing/dtls-rehearsal.ts';
import type { Bench, Context } from '../benches.ts';
import { round } from '../statistics.ts';

const devices = Number(process.env.LANYARD_BENCH_DEVICES || 2_000);
const updateSeconds = Math.max(10, devices / 100);
const patienceMs = 300_000 + devices * 100;

const signals = { kill: 'SIGKILL', restart: 'SIGTERM', stop: 'SIGSTOP' } as const;
const kinds = ['kill', 'restart', 'stop'] as const;

const inject = async ({ system, rounds, say }: Context) => {
  const rehearsal = new DtlsRehearsal(system, { devices, valuesPerSecond: devices / 10, updateSeconds, patienceMs });
  try {
    await rehearsal.begin();
    const figures: Record<string, number> = { devices, update_period_s: updateSeconds };
    for (let n = 1; n <= rounds; n++) {
      const victim = (n % 2) as 0 | 1;
      const other = (1 - victim) as 0 | 1;
      const kind = kinds[n % kinds.length] as (typeof kinds)[number];
      // The victim gets all devices.
      rehearsal.balancer.route(() => victim);
      await rehearsal.flows();
      say(`round ${n} of ${rounds}: ${kind} ${proxies[victim]}`);
      rehearsal.balancer.route(() => other);
      system.signal(proxies[victim], signals[kind]);
      // A replica that is back before a device has been heard continues its connection.
      const tookMs = await rehearsal.allAt(other);
      figures[`round_${n}_${kind}_continued_s`] = round(tookMs / 1_000);
      if (kind === 'stop') system.signal(proxies[victim], 'SIGCONT');
      else await system.restart(proxies[victim]);
      await rehearsal.flows();
      await sleep(2_000);
    }
    return { ...figures, ...(await rehearsal.end()) };
  } finally {
    await rehearsal.stop();
  }
};

export const dtlsFaults: Bench = {
  about: `kill -9, SIGSTOP and restarts of one of two device-proxies with ${devices} devices over DTLS, values and commands, --rounds times`,
  replicas: { 'device-proxy': 2 },
  run: inject,
};
