import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Command } from 'commander';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type LocalHttpServer, serve } from '@lanyard/testing';
import type { Cli } from '../cli.js';
import type { Environment } from '../config.js';
import { UsageError } from '../errors.js';
import { Output } from '../output/output.js';
import { Profiles } from '../settings/profiles.js';
import { addLogin } from './login.js';

const folder = mkdtempSync(join(tmpdir(), 'lanyard-login-'));
const keyFile = join(folder, 'key');
const environment: Partial<Environment> = { folder };
let server: LocalHttpServer;
let url: string;

beforeAll(async () => {
  writeFileSync(keyFile, 'ak_1x\n');
  // Answers every path below `/console` with a page, as the gateway does.
  server = await serve((request, response) => {
    const isPage = request.url?.startsWith('/console');
    const account = { object: 'account', id: 'a1', display_name: 'Plant' };
    response.writeHead(200, { 'content-type': isPage ? 'text/html; charset=utf-8' : 'application/json' });
    response.end(isPage ? '<!doctype html>' : JSON.stringify(account));
  });
  ({ url } = server);
});
afterAll(() => {
  server.stop();
  rmSync(folder, { recursive: true });
});

/** Resolves to what is printed. */
const run = async (...args: string[]): Promise<{ stdout: string; stderr: string }> => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const cli = {
    environment,
    signal: new AbortController().signal,
    output: () => new Output(stdout, stderr, { json: false, quiet: false, colour: false }),
  } as unknown as Cli;
  const program = new Command().option('--url <url>').option('--key-file <file>').option('--profile <name>');
  addLogin(program, cli);
  await program.parseAsync(args, { from: 'user' });
  return { stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
};

const logIn = async (address: string): Promise<string> =>
  (await run('login', '--url', address, '--key-file', keyFile)).stdout;

it('an address at which a page answers in place of the service is refused and not stored', async () => {
  await expect(logIn(`${url}/console`)).rejects.toThrow(UsageError);
  expect(new Profiles(folder).all()).toEqual([]);
  expect(await logIn(url)).toBe(`Signed in to ${url} as Plant (profile default).\n`);
  expect(new Profiles(folder).all()).toEqual([['default', { url, key: 'ak_1x' }]]);
});

it('a login takes the key of LANYARD_KEY_FILE, unless an option names a file', async () => {
  const other = join(folder, 'other');
  writeFileSync(other, 'ak_1other\n');
  environment.keyFile = other;
  try {
    await run('login', '--url', url);
    expect(new Profiles(folder).get('default').key).toBe('ak_1other');
    await logIn(url);
    expect(new Profiles(folder).get('default').key).toBe('ak_1x');
  } finally {
    delete environment.keyFile;
  }
});

it('a login to a profile goes to its address, and to LANYARD_URL only if the profile is new', async () => {
  new Profiles(folder).save('plant', { url, key: 'ak_1old' });
  environment.url = `${url}/console`;
  try {
    await run('login', '--profile', 'plant', '--key-file', keyFile);
    expect(new Profiles(folder).get('plant')).toEqual({ url, key: 'ak_1x' });
    await expect(run('login', '--profile', 'new', '--key-file', keyFile)).rejects.toThrow(environment.url);
  } finally {
    delete environment.url;
  }
});

it('a file with a key is not ignored when a person signs in', async () => {
  await expect(run('login', '--oidc', '--url', url, '--key-file', keyFile)).rejects.toThrow(UsageError);
});

it('a logout tells which profile is the current one from now on, if that is another one', async () => {
  const profiles = new Profiles(folder);
  for (const [name] of profiles.all()) profiles.remove(name);
  for (const name of ['test', 'plant', 'site']) profiles.save(name, { url: `https://${name}.example`, key: 'ak_1x' });
  const deleted = (name: string): string =>
    `The key of profile ${name} is deleted here; it stays valid in the service.\n`;
  expect(await run('logout', '--profile', 'plant')).toEqual({ stdout: '', stderr: deleted('plant') });
  expect(await run('logout')).toEqual({
    stdout: '',
    stderr: `${deleted('site')}The current profile is now test, for https://test.example.\n`,
  });
  expect(await run('logout')).toEqual({ stdout: '', stderr: deleted('test') });
});
