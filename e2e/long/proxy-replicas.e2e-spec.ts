import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Lanyard } from '@lanyard/client';
import { eventually, patienceMs } from '@lanyard/testing';
import { CommandLoad, idsOfDevices } from '../../tools/testing/command-load.ts';
import { sessionsAt } from '../../tools/testing/metrics.ts';
import { Simulator } from '../../tools/testing/simulator.ts';
import { type RunningSystem, startSystem } from '../system.ts';

/** More for a long run: `LANYARD_E2E_DEVICES=5000 npm test -- proxy-replicas`. */
const devices = Number(process.env['LANYARD_E2E_DEVICES'] ?? 100);
const updateSeconds = Math.max(4, devices / 100);

/** A device notices silence 0.5 + 1 + 2 + 4 s after its update (times up to 1.5), pauses up to a second, and shows up elsewhere. */
const backAgainMs = updateSeconds * 1_000 + patienceMs;

describe('one of two device-proxies dies or is suspended while commands run', () => {
  let system: RunningSystem;
  let fleet: Simulator;
  let commands: CommandLoad;
  let urls: string[];

  const allAt = async (url: string): Promise<void> => {
    await eventually(async () => expect(await sessionsAt(url)).toBe(devices), { timeoutMs: backAgainMs });
    await eventually(async () => expect((await fleet.state()).registered).toBe(devices));
  };

  beforeAll(async () => {
    system = await startSystem('proxies', {
      replicas: { 'device-proxy': 2 },
      without: ['snapshot', 'event-log', 'campaigns'],
    });
    urls = [0, 1].map((n) => system.unit(`device-proxy-${n}`).unit.address);
    fleet = await Simulator.start({
      devices,
      server: system.coapUrls.join(','),
      'registrations-per-second': 50,
      'update-seconds': updateSeconds,
      'values-per-second': 0,
      'ack-timeout-ms': 500,
      retransmissions: 3,
      'back-off-ms': 500,
      'back-off-max-ms': 1_000,
    });
    await fleet.until(({ registered }) => registered === devices, 'registrations', patienceMs + devices * 40);
    const lanyard = new Lanyard({ baseUrl: system.baseUrl, key: system.adminKey });
    commands = await CommandLoad.start(lanyard, await idsOfDevices(lanyard, devices));
  });

  afterAll(async () => {
    await commands?.stop();
    await fleet?.stop('SIGTERM');
    await system?.stop();
  });

  it('kill -9: its devices come back at the other one within their update period', async () => {
    await commands.more();
    system.signal('device-proxy-0', 'SIGKILL');
    await allAt(urls[1] as string);
  });

  it('SIGSTOP: the same, and when it resumes it knows that they are no longer its own', async () => {
    await system.restart('device-proxy-0');
    await commands.more();
    system.signal('device-proxy-1', 'SIGSTOP');
    await allAt(urls[0] as string);
    system.signal('device-proxy-1', 'SIGCONT');
    // What devices sent it while it stood still was waiting in its socket: it takes them back until their next update.
    await allAt(urls[0] as string);
    await eventually(async () => expect(await sessionsAt(urls[1] as string)).toBe(0), { timeoutMs: backAgainMs });
  });

  it('every accepted command ends, in one way, and nothing ran twice without saying so', async () => {
    const { commands_accepted: accepted } = await commands.finish(fleet);
    expect(accepted).toBeGreaterThan(100);
  });
});
