/**
 * Kills and stops one of two device-proxies again and again while commands run, and counts what became of each command
 * and how long the devices were away. Fails when a promise was broken: see docs/faults.md.
 */
import { round } from '../statistics.mjs';
import { CommandLoad } from './command-load.mjs';
import { Devices, sessionsAt, sleep } from './installation.mjs';

const devices = Number(process.env.LANYARD_BENCH_DEVICES || 5_000);
let state = Number(process.env.LANYARD_BENCH_SEED || 1) >>> 0;
const updateSeconds = Math.max(10, devices / 100);

/** Of a device: how soon it notices that nobody answers, and how long it pauses before it goes elsewhere. */
const ackTimeoutMs = 2_000;
const retransmissions = 2;
const backOffMaxMs = 2_000;

/** It notices after its next update is due, 2 + 4 + 8 s (times up to 1.5) later, and comes after its pause. */
const boundMs = updateSeconds * 1_000 + ackTimeoutMs * 7 * 1.5 + backOffMaxMs;

/** From 0 to below 1, the same for the same seed (mulberry32). */
const random = () => {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = state;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
};

/** One that has just gone on closes connections that were idle too long: asked again. @param {string} url */
const sessionsOf = (url) => sessionsAt(url).catch(() => -1);

/** How long until the replica has every device. @param {string} url @param {Devices} fleet @param {number} patienceMs */
const allAt = async (url, fleet, patienceMs) => {
  const startedAt = performance.now();
  for (;;) {
    const [sessions, { registered }] = await Promise.all([sessionsOf(url), fleet.state()]);
    const took = performance.now() - startedAt;
    if (sessions === devices && registered === devices) return took;
    if (took > patienceMs) throw new Error(`${sessions} of ${devices} devices are back after ${patienceMs / 1_000} s`);
    await sleep(100);
  }
};

/** Until each device is at one replica, and at one only. @param {string[]} urls @param {Devices} fleet @param {number} patienceMs */
const settled = async (urls, fleet, patienceMs) => {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const sessions = await Promise.all(urls.map(sessionsOf));
    const sum = sessions.reduce((all, one) => all + one, 0);
    if (sum === devices && (await fleet.state()).registered === devices) return sessions;
    if (performance.now() > deadline) throw new Error(`sessions ${sessions} of ${devices} devices`);
    await sleep(200);
  }
};

/** @type {import('../benches.mjs').Bench} */
export const replicaFaults = {
  about: `kill -9 and SIGSTOP of one of two device-proxies with ${devices} devices and running commands, --rounds times`,
  replicas: { 'device-proxy': 2 },
  async run({ system, rounds, say }) {
    const names = ['device-proxy-0', 'device-proxy-1'];
    const urls = names.map((name) => system.constellation.unit(name).unit.address);
    const app = await system.application();
    await app.listen();
    const fleet = await Devices.start({
      devices,
      server: system.constellation.coapUrls.join(','),
      'registrations-per-second': 200,
      'update-seconds': updateSeconds,
      'values-per-second': 0,
      'ack-timeout-ms': ackTimeoutMs,
      retransmissions,
      'back-off-ms': 500,
      'back-off-max-ms': backOffMaxMs,
    });
    await fleet.until(({ registered }) => registered === devices, 'registrations', 600_000);
    const load = await CommandLoad.start(app, devices);
    /** @type {Record<string, number>} */
    const figures = { devices, update_period_s: updateSeconds, back_within_s_allowed: round(boundMs / 1_000) };
    /** The machine may be busy with other things: what is late is counted, what never comes fails. */
    const patienceMs = boundMs * 4;
    let late = 0;
    for (let n = 1; n <= rounds; n++) {
      const victim = n % 2;
      const kind = random() < 0.5 ? 'kill' : 'stop';
      const survivor = /** @type {string} */ (urls[1 - victim]);
      const name = /** @type {string} */ (names[victim]);
      await sleep(2_000 + random() * 5_000);
      say(`round ${n} of ${rounds}: ${kind} ${name}, sessions ${await Promise.all(urls.map(sessionsOf))}`);
      system.signal(name, kind === 'kill' ? 'SIGKILL' : 'SIGSTOP');
      const tookMs = await allAt(survivor, fleet, patienceMs);
      if (tookMs > boundMs) late++;
      figures[`round_${n}_${kind}_back_s`] = round(tookMs / 1_000);
      if (kind === 'kill') await system.constellation.restart(name);
      else {
        await sleep(random() * 5_000);
        system.signal(name, 'SIGCONT');
      }
      await settled(urls, fleet, patienceMs);
      say(`  back after ${(tookMs / 1_000).toFixed(1)} s`);
    }
    await sleep(2_000);
    const result = await load.finish(fleet);
    await fleet.kill();
    app.close();
    return { ...figures, rounds_late: late, ...result };
  },
};
