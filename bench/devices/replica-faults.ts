/**
 * Kills or suspends one of two device-proxies repeatedly while commands run, and counts the outcome of each command
 * and how long the devices were away. Fails when a promise was broken: see docs/faults.md.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../../tools/testing/random.ts';
import { isProcess } from '../../tools/lanyard/processes.ts';
import { round } from '../statistics.ts';
import { CommandLoad, idsOfDevices } from '../../tools/testing/command-load.ts';
import { Simulator } from '../../tools/testing/simulator.ts';
import { sessionsAt } from '../../tools/testing/metrics.ts';
import { waitUntil } from '../../tools/lanyard/probes.ts';
import { sleep } from '../../tools/lanyard/project.ts';
import type { BenchSystem } from '../system.ts';
import type { Bench, Context } from '../benches.ts';

const devices = Number(process.env.LANYARD_BENCH_DEVICES || 5_000);
const random = new Random(Number(process.env.LANYARD_BENCH_SEED || 1));
const updateSeconds = Math.max(10, devices / 100);

const errorsShown = 10;
const charactersShown = 1_000;

/** Settings of a device: how soon it detects missing answers, and how long it pauses before it tries another server. */
const ackTimeoutMs = 2_000;
const retransmissions = 2;
const backOffMaxMs = 2_000;

/** A device notices the failure 2 + 4 + 8 s (times up to 1.5) after its next update is due, and returns after its pause. */
const boundMs = updateSeconds * 1_000 + ackTimeoutMs * 7 * 1.5 + backOffMaxMs;

/** -1 while the replica does not answer. */
const sessionsOf = (url: string) => sessionsAt(url).catch(() => -1);

/** A replica that ends by itself is a finding, so waiting for it must fail. */
const assertAlive = (system: BenchSystem, name: string) => {
  const { pid, marker } = system.unit(name).unit;
  if (!isProcess(pid, marker)) throw new Error(`${name} has ended by itself`);
};

/** Prints the last errors in the logs of device-proxies and gateways, before everything is removed. */
const printLastErrors = ({ logs }: BenchSystem, say: (text: string) => void) => {
  for (const file of readdirSync(logs).filter((name) => /^(device-proxy|gateway)/.test(name))) {
    const lines = readFileSync(join(logs, file), 'utf8').trimEnd().split('\n');
    const errors = lines.filter((line) => !line.includes('"level":40')).slice(-errorsShown);
    for (const line of errors) say(`${file}: ${line.slice(0, charactersShown)}`);
  }
};

/** Waits until the replica has every device. Resolves with how long that took. */
const allAt = async (url: string, fleet: Simulator, timeoutMs: number, check: () => void) => {
  const startedAt = performance.now();
  let found = NaN;
  const areBack = async () => {
    check();
    const [sessions, { registered }] = await Promise.all([sessionsOf(url), fleet.state()]);
    found = sessions;
    return sessions === devices && registered === devices;
  };
  const hint = () => `${found} devices are back.`;
  await waitUntil(`the replica with ${devices} devices`, areBack, { timeoutMs, intervalMs: 100, hint });
  return performance.now() - startedAt;
};

/** Waits until each device is at exactly one replica. */
const settled = async (urls: string[], fleet: Simulator, timeoutMs: number, check: () => void) => {
  let sessions: number[] = [];
  const isSettled = async () => {
    check();
    sessions = await Promise.all(urls.map(sessionsOf));
    const sum = sessions.reduce((all, one) => all + one, 0);
    return sum === devices && (await fleet.state()).registered === devices;
  };
  const hint = () => `The replicas have ${sessions.join(' and ')}.`;
  await waitUntil(`each of ${devices} devices at one replica`, isSettled, { timeoutMs, intervalMs: 200, hint });
};

const inject = async ({ system, rounds, say }: Context) => {
  const names = ['device-proxy-0', 'device-proxy-1'];
  const urls = names.map((name) => system.unit(name).unit.address);
  const { lanyard } = await system.application();
  const fleet = await Simulator.start({
    devices,
    server: system.coapUrls.join(','),
    'registrations-per-second': 200,
    'update-seconds': updateSeconds,
    'values-per-second': 0,
    'ack-timeout-ms': ackTimeoutMs,
    retransmissions,
    'back-off-ms': 500,
    'back-off-max-ms': backOffMaxMs,
  });
  await fleet.until(({ registered }) => registered === devices, 'registrations', 600_000);
  const load = await CommandLoad.start(lanyard, await idsOfDevices(lanyard, devices));
  const figures: Record<string, number> = {
    devices,
    update_period_s: updateSeconds,
    back_within_s_allowed: round(boundMs / 1_000),
  };
  /** The machine may be busy with other things: late devices are counted, and only missing ones fail. */
  const patienceMs = boundMs * 4;
  let late = 0;
  const first = random.next() < 0.5 ? 0 : 1;
  for (let n = 1; n <= rounds; n++) {
    const victim = n % 2;
    // Each of the two replicas is killed and stopped equally often.
    const kind = (Math.floor(n / 2) + first) % 2 === 0 ? 'kill' : 'stop';
    const survivor = urls[1 - victim] as string;
    const [name, other] = [names[victim], names[1 - victim]] as [string, string];
    await sleep(2_000 + random.next() * 5_000);
    say(`round ${n} of ${rounds}: ${kind} ${name}, sessions ${await Promise.all(urls.map(sessionsOf))}`);
    system.signal(name, kind === 'kill' ? 'SIGKILL' : 'SIGSTOP');
    const tookMs = await allAt(survivor, fleet, patienceMs, () => assertAlive(system, other));
    if (tookMs > boundMs) late++;
    figures[`round_${n}_${kind}_back_s`] = round(tookMs / 1_000);
    if (kind === 'kill') await system.restart(name);
    else {
      await sleep(random.next() * 5_000);
      system.signal(name, 'SIGCONT');
    }
    await settled(urls, fleet, patienceMs, () => names.forEach((one) => assertAlive(system, one)));
    say(`  back after ${(tookMs / 1_000).toFixed(1)} s`);
  }
  await sleep(2_000);
  const result = await load.finish(fleet);
  await fleet.stop();
  return { ...figures, rounds_late: late, ...result };
};

export const replicaFaults: Bench = {
  about: `kill -9 and SIGSTOP of one of two device-proxies with ${devices} devices and running commands, --rounds times`,
  replicas: { 'device-proxy': 2 },
  async run(context) {
    try {
      return await inject(context);
    } catch (error) {
      printLastErrors(context.system, context.say);
      throw error;
    }
  },
};
