import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from '@jest/globals';
import { CallbackReceiver, certificateAuthority } from '@lanyard/testing';
import { root } from '../tools/lanyard/project.mjs';
import type { Application } from './application.js';
import { documentedCalls } from './documented-calls.js';
import { fresh } from './journeys.js';
import { DemonstrationDevice } from './journeys-device.js';
import { LeshanDevice } from './leshan-device.js';

/** It takes some 20 s. */
const sessionMaxMs = 180_000;

interface Row {
  area: string;
  calls: string;
  problem: string | null;
}

/** Runs the session; its rows, and what it says when it says none. */
const session = async (python: string, env: Record<string, string>, cwd: string): Promise<Row[]> => {
  const child = spawn(python, [join(root, 'e2e/python-sdk/session.py')], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const rows: Row[] = [];
  const complaints: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith('ROW ')) rows.push(JSON.parse(line.slice(4)) as Row);
  });
  const tooLong = setTimeout(() => child.kill('SIGKILL'), sessionMaxMs);
  createInterface({ input: child.stderr }).on('line', (line) => complaints.push(line));
  const code = await new Promise((done) => child.once('close', done));
  clearTimeout(tooLong);
  if (code !== 0)
    throw new Error(
      `the session ended with ${String(code)} after ${JSON.stringify(rows.at(-1))}: ${complaints.slice(-10).join('\n')}`,
    );
  return rows;
};

const administratorKey = async (admin: Application): Promise<string> => {
  const groups = (await admin.call('GET', '/v3/policy-groups')).json.data as { id: string; name: string }[];
  const administrators = groups.filter(({ name }) => name === 'Administrators').map(({ id }) => id);
  const { json } = await admin.call('POST', '/v3/api-keys', { name: fresh('python'), groups: administrators });
  return String(json.key);
};

/** The Python SDK of the compatible service, unchanged, against two devices; docs/compatibility.md lists what it can do. */
export const pythonSdk = async (admin: Application, coapUrl: string, python: string): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'lanyard-python-'));
  const authority = join(folder, 'ca.pem');
  writeFileSync(authority, certificateAuthority('Python').certificate);
  const webhook = await new CallbackReceiver().start();
  const demo = DemonstrationDevice.start(fresh('python-device'), { url: coapUrl, 'period-seconds': '0.5' });
  const leshanName = fresh('python-leshan');
  const leshan = await LeshanDevice.start(coapUrl, leshanName);
  try {
    await leshan.says(/^registered/);
    const env = {
      MBED_CLOUD_SDK_HOST: admin.baseUrl,
      MBED_CLOUD_SDK_API_KEY: await administratorKey(admin),
      DEVICE_ID: await admin.deviceId(demo.name),
      DEVICE_NAME: demo.name,
      LESHAN_ID: await admin.deviceId(leshanName),
      WEBHOOK_URL: webhook.url,
      CA_FILE: authority,
    };
    const rows = await session(python, env, folder);
    expect(rows.filter(({ problem }) => problem !== null)).toEqual([]);
    expect(rows.map(({ area, calls }) => `${area} | ${calls} | passes`)).toEqual(documentedCalls('Python SDK'));
  } finally {
    await Promise.all([demo.ends(), leshan.ends(), webhook.stop()]);
    rmSync(folder, { recursive: true });
  }
};
