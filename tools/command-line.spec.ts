import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { root } from './lanyard/project.ts';

const folder = mkdtempSync(join(tmpdir(), 'lanyard-command-line-'));
/** Passes for another `npm start` of the folder, so that a start whose options are accepted starts nothing. */
const starter = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)', 'start.ts'], { stdio: 'ignore' });
writeFileSync(join(folder, 'starter.pid'), String(starter.pid));

afterAll(() => {
  starter.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

describe('an option that a command does not know', () => {
  it.each([
    ['start.ts', '--replica'],
    ['status.ts', '--jsn'],
    ['cluster.ts', '--nod'],
    ['generate-docs.ts', '--chek'],
    ['checks.ts', '--fast'],
    ['dev-secrets.ts', '--jsn'],
  ])('of %s is an error that names it: %s', (file, option) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'tools', file), option], {
      env: { ...process.env, LANYARD_DATA: folder },
      encoding: 'utf8',
    });
    expect(stderr).toContain(`Unknown option '${option}'`);
    expect(stderr).not.toContain('    at ');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  });
});

describe('an argument or a value of an option that a command does not take', () => {
  it.each<[file: string, args: string[], problem: string]>([
    ['drill.ts', ['--only', '['], '--only takes a regular expression, not "["'],
    ['cluster.ts', ['scale', '--only', '['], '--only takes a regular expression, not "["'],
    ['cluster.ts', ['check', '--kind', 'constructor'], '--kind takes dev, local, chart, not "constructor"'],
    ['cluster.ts', ['check', '--context'], '--context goes with up, load, status, down, not with check'],
    ['images.ts', ['--base', 'x'], '--base takes auto, named or stand-in, not "x"'],
    ['test-openapi.ts', ['--seed', 'x'], '--seed takes a whole number from 0, not "x"'],
    ['test-openapi.ts', ['--seed', ' '], '--seed takes a whole number from 0, not " "'],
    ['backup.ts', ['a', 'b'], 'npm run backup [-- FILE]'],
    ['restore.ts', ['a', 'b'], 'npm run restore -- FILE [--overwrite]'],
    ['test.ts', ['--no-e2e', '--only-e2e'], '--no-e2e and --only-e2e together select no tests'],
    ['fuzz.ts', ['constructor'], 'no fuzzer constructor: there are udp, tcp, dtls'],
  ])('of %s is an error that says so: %j', (file, args, problem) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'tools', file), ...args], {
      env: { ...process.env, LANYARD_DATA: folder },
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect(stderr).toContain(`${problem}\n`);
    expect(stderr).not.toContain('    at ');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  });
});

describe('a command in a clone that was never built', () => {
  /** Refuses the packages of the workspaces, which have no code before the first build. */
  const hooks = `
    import { registerHooks } from 'node:module';
    registerHooks({
      resolve: (specifier, context, next) => {
        if (specifier.startsWith('@lanyard/')) throw new Error(specifier + ' is not built');
        return next(specifier, context);
      },
    });`;
  const unbuilt = `data:text/javascript,${encodeURIComponent(hooks)}`;

  it.each(['compose', 'drill', 'fuzz', 'trace', 'upgrade'])('says how to use it: %s', (name) => {
    const program = join(root, 'tools', `${name}.ts`);
    const { stdout, stderr } = spawnSync(process.execPath, ['--import', unbuilt, program, '--help'], {
      encoding: 'utf8',
    });
    expect(`${stdout}${stderr}`).toMatch(new RegExp(`^npm run ${name} `, 'm'));
  });
});

describe('an option of npm run device that is unknown or has a wrong value', () => {
  it.each<[args: string[], problem: string]>([
    [['--nme', 'x'], "Unknown option '--nme'"],
    [['--period-seconds', 'abc'], '--period-seconds takes a number from 0.1 to 604800, not "abc"'],
    [['--period-seconds', '0'], '--period-seconds takes a number from 0.1 to 604800, not "0"'],
    [['--lifetime', '1.5'], '--lifetime takes a whole number from 1 to 604800, not "1.5"'],
    [['--lifetime', '1e9'], '--lifetime takes a whole number from 1 to 604800, not "1e9"'],
    [['--url', 'coaps://127.0.0.1:1'], '--url takes coap://host:port, or with --secure coaps://, not "coaps://'],
    [['--secure', '--url', 'coap://127.0.0.1:1'], '--url takes coaps://host:port, not "coap://127.0.0.1:1"'],
    [['--api', '127.0.0.1:8080'], '--api takes http://host:port, not "127.0.0.1:8080"'],
  ])('is an error that names it: %j', (args, problem) => {
    const program = join(root, 'libs/testing/dist/device/cli.js');
    const spawned = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8', timeout: 30_000 });
    const { status, stdout, stderr } = spawned;
    expect(stderr).toContain(problem);
    expect(stderr).toContain('\nusage: npm run device');
    expect(stderr).not.toContain('    at ');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  });
});

describe('an error of a service', () => {
  it.each([
    [`InfrastructureUnavailable('Kafka', 'b:9092', 'no answer')`, 'Kafka at b:9092 cannot be reached: no answer'],
    [`ConfigError('DATABASE_URL', 'must be a URL')`, 'DATABASE_URL must be a URL'],
  ])('that the operator can solve is shown without a stack: %s', (error, message) => {
    const script = `
      import { ConfigError, InfrastructureUnavailable } from '@lanyard/service';
      import { run } from '${new URL('lanyard/project.ts', import.meta.url).href}';
      await run(async () => { throw new ${error}; });`;
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(stderr).toContain(`${message}\n`);
    expect(stderr).not.toContain('    at ');
    expect(status).toBe(1);
  });
});
