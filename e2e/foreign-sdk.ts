import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from '@jest/globals';
import { CallbackReceiver, certificateAuthority } from '@lanyard/testing';
import { root } from '../tools/lanyard/project.ts';
import type { Application } from './application.ts';
import { administratorKey, documentedCalls } from './documented-calls.ts';
import { fresh } from './journeys.ts';
import { prepareJava } from '../tools/lanyard/java-programs.ts';
import { DemonstrationDevice } from './journeys-device.ts';
import { LeshanDevice } from './leshan-device.ts';

/** A session takes about 20 s; its test may take 600 s. */
const sessionMaxMs = 480_000;

/** A program that makes the calls: it prints `ROW area | calls | passes` for each, or what is wrong. */
export interface SdkProgram {
  /** Heading of the table in docs/compatibility.md. */
  heading: string;
  command: string;
  args: readonly string[];
}

const rowsOf = async ({ command, args }: SdkProgram, env: Record<string, string>, cwd: string): Promise<string[]> => {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const rows: string[] = [];
  const complaints: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith('ROW ')) rows.push(line.slice(4));
  });
  const tooLong = setTimeout(() => child.kill('SIGKILL'), sessionMaxMs);
  createInterface({ input: child.stderr }).on('line', (line) => complaints.push(line));
  const code = await new Promise((done) => child.once('close', done));
  clearTimeout(tooLong);
  if (code !== 0)
    throw new Error(`the session ended with ${String(code)} after ${rows.at(-1)}: ${complaints.slice(-10).join('\n')}`);
  return rows;
};

export const pythonSdk = (python: string): SdkProgram => ({
  heading: 'Python SDK',
  command: python,
  args: [join(root, 'e2e/python-sdk/session.py')],
});

export const javaSdk = async (): Promise<SdkProgram> => {
  const place = await prepareJava('java-sdk');
  const quiet = '-Dorg.slf4j.simpleLogger.defaultLogLevel=error';
  return { heading: 'Java SDK', command: 'java', args: [quiet, '-cp', `${place}:${place}/*`, 'SdkSession'] };
};

/** An unchanged SDK of the compatible service, with two devices: docs/compatibility.md lists which calls work. */
export const foreignSdk = async (admin: Application, coapUrl: string, program: SdkProgram): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'lanyard-sdk-'));
  const authority = join(folder, 'ca.pem');
  writeFileSync(authority, certificateAuthority('Foreign').certificate);
  const webhook = await new CallbackReceiver().start();
  const demo = DemonstrationDevice.start(fresh('sdk-device'), { url: coapUrl, 'period-seconds': '0.5' });
  const leshanName = fresh('sdk-leshan');
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
    const rows = await rowsOf(program, env, folder);
    expect(rows.filter((row) => !row.endsWith(' | passes'))).toEqual([]);
    expect(rows).toEqual(documentedCalls(program.heading));
  } finally {
    await Promise.all([demo.ends(), leshan.ends(), webhook.stop()]);
    rmSync(folder, { recursive: true });
  }
};
