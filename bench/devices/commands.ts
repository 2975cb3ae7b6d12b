/** From the call that sends a command to the answer on the WebSocket, with 1,000 devices connected. */
import { until } from '../latency.ts';
import { percentile, round } from '../statistics.ts';
import { echoRoundTrips } from './bare.ts';
import { Simulator } from '../../tools/testing/simulator.ts';
import { sleep } from '../../tools/lanyard/project.ts';
import type { Application } from '../application.ts';
import type { Bench } from '../benches.ts';

const devices = 1_000;
const perSecond = 10;

/** Ids of all devices. */
const deviceIds = async (app: Application) => {
  const ids: string[] = [];
  let after = '';
  for (;;) {
    const page = await app.call('GET', `/v3/devices?limit=1000${after && `&after=${after}`}`);
    ids.push(...page.data.map(({ id }: { id: string }) => id));
    if (!page.has_more) return ids;
    after = ids.at(-1) ?? '';
  }
};

export const commands: Bench = {
  about: `command to answer at ${perSecond}/s with ${devices} devices connected, beside the round trip of a datagram`,
  async run({ system, seconds, rounds, say }) {
    const app = await system.application();
    await app.listen();
    const fleet = await Simulator.start({
      devices,
      server: system.coapUrl,
      'registrations-per-second': 100,
      'lifetime-seconds': 600,
    });
    await fleet.until(({ registered }) => registered === devices, 'registrations');
    let ids: string[] = [];
    for (const deadline = performance.now() + 120_000; ids.length < devices && performance.now() < deadline;)
      ids = await deviceIds(app);
    const sent = new Map<string, number>();
    const took: number[] = [];
    let failed = 0;
    app.onMessage = ({ text, atMs }) => {
      for (const { id, status } of JSON.parse(text)['async-responses'] ?? []) {
        const at = sent.get(id);
        if (at === undefined) continue;
        if (status !== 200) failed++;
        took.push(atMs - at);
        sent.delete(id);
      }
    };
    let number = 0;
    const send = () => {
      const asyncId = `bench-${number}`;
      sent.set(asyncId, performance.now());
      const uri = '/3/0/0';
      void app.call('POST', `/v2/device-requests/${ids[number++ % ids.length]}?async-id=${asyncId}`, {
        method: 'GET',
        uri,
      });
    };
    const run = async (forSeconds: number) => {
      const startedAt = performance.now();
      for (let n = 0; n < forSeconds * perSecond; n++) {
        const wait = startedAt + (n * 1_000) / perSecond - performance.now();
        if (wait > 0) await sleep(wait);
        send();
      }
      await until(() => sent.size === 0, `answers (${sent.size} are missing)`);
    };
    // Not measured: registry, snapshot and event log catch up, connections are made, code is compiled.
    await sleep(5_000);
    await run(2);
    took.length = 0;
    const echo: number[] = [];
    for (let n = 0; n < rounds; n++) {
      say(`round ${n + 1} of ${rounds}`);
      await run(seconds);
      echo.push(...(await echoRoundTrips(500)));
    }
    await fleet.stop();
    app.close();
    if (failed > 0) throw new Error(`${failed} commands failed`);
    return {
      devices,
      commands: took.length,
      p50_ms: round(percentile(took, 0.5)),
      p99_ms: round(percentile(took, 0.99)),
      max_ms: round(percentile(took, 1)),
      echo_p50_ms: round(percentile(echo, 0.5)),
      echo_p99_ms: round(percentile(echo, 0.99)),
      p50_ratio: round(percentile(took, 0.5) / percentile(echo, 0.5)),
      p99_ratio: round(percentile(took, 0.99) / percentile(echo, 0.99)),
    };
  },
};
