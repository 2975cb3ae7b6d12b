import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import type { Application, Running } from '../application.ts';
import { fresh, registered, sensor } from '../journeys.ts';
import { type RunningSystem, tcpPort } from '../system.ts';
import { CommandLine, type Run } from './command-line.ts';
import { LocalServer } from './local-server.ts';

export const forwarding = (given: () => Running): void => {
  let system: RunningSystem;
  let administrator: Application;
  let app: Application;
  let port: number;
  let demo: Awaited<ReturnType<typeof registered>>;
  let server: LocalServer;
  let reported = 1_000;
  const cli = new CommandLine();
  const secretFile = join(cli.folder, 'secret');

  const start = (...args: string[]): Run =>
    cli.start(['forward', `http://127.0.0.1:${port}/events/`, '--secret-file', secretFile, ...args], {
      LANYARD_URL: system.baseUrl,
      LANYARD_KEY: app.key,
    });

  const report = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) await demo.device.report(sensor, reported++);
  };

  /** Every value since 1,000, for the first time in order. */
  const arrivesWhole = async (): Promise<void> => {
    const wanted = Array.from({ length: reported - 1_000 }, (_, n) => 1_000 + n);
    await eventually(() => expect(server.distinct.filter((value) => value >= 1_000)).toEqual(wanted));
  };

  beforeAll(async () => {
    ({ system, app: administrator } = given());
    app = await administrator.another(fresh('forward'));
    port = await tcpPort(0);
    server = new LocalServer(() => readFileSync(secretFile, 'utf8').trim());
    demo = await registered(app, 'forward', system.coapUrls[0] as string);
  });

  afterAll(async () => {
    await server?.close();
    await demo?.device.close();
  });

  it('loses nothing and keeps the order over a server that is down, one that fails, and kill -9', async () => {
    let run = start();
    await run.shows(/Forwarding to/);
    expect(statSync(secretFile).mode & 0o777).toBe(0o600);
    await app.call('PUT', `/v2/subscriptions/${demo.deviceId}${sensor}`);
    await eventually(() => demo.device.isObserved(sensor));
    await report(5);
    await run.shows(/ECONNREFUSED/);
    await run.stop('SIGKILL');
    await report(5);

    await server.listen(port);
    run = start();
    await arrivesWhole();
    // With the slash at its end: it is another path without.
    expect(server.path).toBe('/events/');

    server.refuses = 3;
    await report(5);
    await eventually(() => server.refused === 3);
    await arrivesWhole();

    await run.shows(/status 500/);
    server.refuses = Number.MAX_SAFE_INTEGER;
    await report(5);
    // The run has already shown the status of earlier refusals: wait until the server has refused another message.
    await eventually(() => server.refused > 3);
    await run.stop('SIGKILL');
    server.refuses = 0;
    run = start();
    await arrivesWhole();
    expect(await run.stop()).toBe(0);
    expect(run.shown).not.toContain(app.key.slice(-32));
  });

  it('sends the last messages again, with the same ids', async () => {
    const before = [...server.ids];
    const run = start('--replay', '2');
    await run.shows(/2 earlier messages were sent again/);
    expect(server.ids.slice(before.length, before.length + 2)).toEqual(before.slice(-2));
    await report(1);
    await arrivesWhole();
    expect(await run.stop()).toBe(0);
  });

  it('leaves a channel of another kind to its application', async () => {
    const other = await administrator.another(fresh('socket'));
    await other.call('PUT', '/v2/notification/websocket', {});
    const refused = await cli.run(['forward', `http://127.0.0.1:${port}`], {
      env: { LANYARD_URL: system.baseUrl, LANYARD_KEY: other.key },
    });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/websocket channel.*channels delete/s)]);
  });
};
