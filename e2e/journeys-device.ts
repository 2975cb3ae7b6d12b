import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { root } from '../tools/lanyard/project.ts';
import type { Application } from './application.ts';
import { ForeignDevice } from './java-device.ts';
import { fresh, sensor, subscribes, writes } from './journeys.ts';

const display = '/3341/0/5527';

/** `npm run device`, as a separate process. */
export class DemonstrationDevice extends ForeignDevice {
  private constructor(
    process: ChildProcess,
    readonly name: string,
  ) {
    super(process);
  }

  /** `secure`: over DTLS, with a key that it creates. */
  static start(name: string, options: Record<string, string>, secure = false): DemonstrationDevice {
    const args = Object.entries({ name, ...options }).flatMap(([option, value]) => [`--${option}`, value]);
    if (secure) args.push('--secure');
    const cli = join(root, 'libs/testing/dist/device/cli.js');
    return new DemonstrationDevice(
      spawn(process.execPath, [cli, ...args], { stdio: ['ignore', 'pipe', 'inherit'] }),
      name,
    );
  }

  /** Stops it, and waits until it has deregistered. */
  override async ends(signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
    await super.ends(signal);
  }
}

/** The device prints the call that reads its temperature. */
const suggested = async (app: Application, line: string): Promise<void> => {
  const [, url = '', body = ''] = /'(\S+)' -d '(.+)'$/.exec(line) ?? [];
  const { json } = await app.call('POST', url.slice(app.baseUrl.length), JSON.parse(body));
  expect(json).toMatchObject({ status: 200 });
};

/**
 * Everything that docs/tour.md says about the demonstration device, over UDP or, for a URL with `coaps`, over DTLS. The
 * application must be connected already.
 */
export const demonstrated = async (app: Application, url: string): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'lanyard-device-'));
  const keyFile = join(folder, 'admin.key');
  writeFileSync(keyFile, app.key);
  // Uses the name of its host, as docker-compose.yml does.
  const byName = url.replace('//127.0.0.1:', '//localhost:');
  const options = { url: byName, 'period-seconds': '0.5', api: app.baseUrl, 'key-file': keyFile };
  const device = DemonstrationDevice.start(fresh('demonstration'), options, url.startsWith('coaps:'));
  try {
    const id = (await device.says(/registered; its id: [0-9a-f]{32}$/)).slice(-32);
    expect(id).toBe(await app.deviceId(device.name));
    const { resources } = await app.receives('registrations', (item) => item.ep === id);
    const listed = (path: string): unknown => resources.find((one: { path: string }) => one.path === path);
    expect(listed(sensor)).toEqual({ path: sensor, obs: true });
    expect(listed('/3/0/4')).toEqual({ path: '/3/0/4', obs: false });
    await suggested(app, await device.says(/curl /));

    await subscribes(app, id, '/3303/0');
    const packs = (): string[] => app.values('/3303/0', id);
    await eventually(() => expect(new Set(packs()).size).toBeGreaterThan(2));

    await subscribes(app, id, display);
    await writes(app, id, display, 'to be seen');
    await eventually(() => expect(app.values(display, id)).toEqual(['hello', 'to be seen']));

    // As Docker ends it.
    await device.ends('SIGTERM');
    await device.says(/ deregistered$/);
    const { json: credentials } = await app.call('GET', `/v3/devices/${id}/credentials`);
    expect(credentials.data).toEqual([]);
  } finally {
    await device.ends();
    rmSync(folder, { recursive: true });
  }
};
