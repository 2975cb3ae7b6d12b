/** From the call that sends a command to the answer on the WebSocket, with 1,000 devices connected. */
import { waitUntil } from '../../tools/lanyard/probes.ts';
import { evenly, Travels } from '../travels.ts';
import { percentile, round } from '../statistics.ts';
import { echoRoundTrips } from './bare.ts';
import { Simulator } from '../../tools/testing/simulator.ts';
import { sleep } from '../../tools/lanyard/project.ts';
import type { Bench } from '../benches.ts';

const devices = 1_000;
const perSecond = 10;

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
    const areKnown = async () => {
      ids = [];
      for await (const { id } of app.lanyard.items('GET /v3/devices', { query: { limit: 1_000 } })) ids.push(id);
      return ids.length === devices;
    };
    await waitUntil('devices in the directory', areKnown, { timeoutMs: 120_000 });
    const travels = new Travels();
    const { took } = travels;
    let [number, failed] = [0, 0];
    app.onMessage = ({ body, atMs }) => {
      for (const { id, status } of JSON.parse(body.toString())['async-responses'] ?? []) {
        if (status !== 200) failed++;
        travels.arrive(Number(id), atMs);
      }
    };
    const send = () => {
      travels.leave(number);
      const options = { asyncId: String(number) };
      void app.lanyard.sendCommand(ids[number++ % ids.length] ?? '', { method: 'GET', uri: '/3/0/0' }, options);
    };
    const run = async (forSeconds: number) => {
      await evenly(forSeconds * perSecond, perSecond, send);
      await travels.allArrived('answers');
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
