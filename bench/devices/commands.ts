/** Time from the call that sends a command to the answer on the WebSocket, with 1,000 devices, compared with a bare chain. */
import { Lanyard } from '@lanyard/client';
import { openSocket, type Message } from '../application.ts';
import { besideBare, measureInTurn, Travels } from '../travels.ts';
import { startCommandChain } from './bare.ts';
import { idsOfDevices } from '../../tools/testing/command-load.ts';
import { Simulator } from '../../tools/testing/simulator.ts';
import { sleep } from '../../tools/lanyard/project.ts';
import type { Bench } from '../benches.ts';

const devices = 1_000;
const perSecond = 10;

export const commands: Bench = {
  about: `command to answer at ${perSecond}/s with ${devices} devices connected, beside a bare chain with the same stores and hops`,
  async run(context) {
    const { system } = context;
    const app = await system.application();
    await app.listen();
    const fleet = await Simulator.start({
      devices,
      server: system.coapUrl,
      'registrations-per-second': 100,
      'lifetime-seconds': 600,
    });
    await fleet.until(({ registered }) => registered === devices, 'registrations');
    const ids = await idsOfDevices(app.lanyard, devices);
    const [measured, bare] = [new Travels(), new Travels()];
    let [number, failed] = [0, 0];
    const into =
      (travels: Travels) =>
      ({ body, atMs }: Message) => {
        for (const { id, status } of JSON.parse(body.toString())['async-responses'] ?? []) {
          if (status !== 200) failed++;
          travels.arrive(Number(id), atMs);
        }
      };
    app.onMessage = into(measured);
    const chain = await startCommandChain(system);
    const socket = await openSocket(chain.socketUrl, undefined, into(bare));
    // The application is the same for both.
    const bareLanyard = new Lanyard({ baseUrl: chain.url, key: app.key });
    const send = (travels: Travels, lanyard: Lanyard) => {
      travels.depart(number);
      const options = { asyncId: String(number) };
      void lanyard.sendCommand(ids[number++ % ids.length] ?? '', { method: 'GET', uri: '/3/0/0' }, options);
    };
    // Registry, snapshot and event log catch up.
    await sleep(5_000);
    await measureInTurn(context, { perSecond, what: 'answers' }, [
      [measured, () => send(measured, app.lanyard)],
      [bare, () => send(bare, bareLanyard)],
    ]);
    await fleet.stop();
    socket.cut();
    chain.stop();
    app.close();
    if (failed > 0) throw new Error(`${failed} commands failed`);
    return { devices, commands: measured.tookMs.length, ...besideBare(measured, bare) };
  },
};
