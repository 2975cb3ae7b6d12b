import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { root } from '../tools/lanyard/project.ts';
import type { Application } from './application.ts';
import { fresh, sensor } from './journeys.ts';

const display = '/3341/0/5527';

/** `npm run device`, as a separate process. */
export class DemonstrationDevice {
  readonly said: string[] = [];

  private constructor(
    private readonly child: ChildProcess,
    readonly name: string,
  ) {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => this.said.push(line));
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

  says(pattern: RegExp): Promise<string> {
    return eventually(() => {
      const line = this.said.find((one) => pattern.test(one));
      if (line === undefined) throw new Error(`not said: ${pattern}; said: ${this.said.join(' | ')}`);
      return line;
    });
  }

  /** Stops it, and waits until it has deregistered. */
  async ends(signal: 'SIGINT' | 'SIGTERM' = 'SIGINT'): Promise<void> {
    if (this.child.exitCode !== null) return;
    const gone = new Promise((done) => this.child.once('exit', done));
    this.child.kill(signal);
    await gone;
  }
}

const succeeded = async (app: Application, asyncId: string): Promise<void> =>
  expect(await app.answer(asyncId)).toMatchObject({ status: 200 });

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

    const subscribe = async (path: string): Promise<void> => {
      const accept = { accept: 'application/json' };
      const { json } = await app.call('PUT', `/v2/subscriptions/${id}${path}`, undefined, accept);
      await succeeded(app, json['async-response-id']);
    };
    await subscribe('/3303/0');
    const packs = (): string[] => app.values('/3303/0', id);
    await eventually(() => expect(new Set(packs()).size).toBeGreaterThan(2));

    await subscribe(display);
    const write = fresh('write');
    const body = { method: 'PUT', uri: display, 'content-type': 'text/plain', 'payload-b64': 'dG8gYmUgc2Vlbg==' };
    await app.call('POST', `/v2/device-requests/${id}?async-id=${write}`, body);
    await succeeded(app, write);
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
