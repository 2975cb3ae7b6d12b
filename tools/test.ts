/**
 * `npm test [-- FILTER...] [--no-e2e | --only-e2e] [--interop [--install]] [--long]`: runs all tests with their own set-up,
 * infrastructure on free ports, and data folder; with `--interop` also tests with devices that have to be compiled here, see
 * docs/interop.md. If a prerequisite of these is missing, the run names it and ends with 1, or with `--install` installs it first
 * (Debian, root). The same holds for Chromium, for the tests of the console, whatever the options.
 * `--long` runs the long forms of tests: every combination, more rows, more generated requests, and the folder e2e/long.
 * The ten slowest files are listed at the end. The last line is `N passed, N failed`.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ensureBrowser } from './lanyard/browser.ts';
import { environmentOfCompiledDevices } from './lanyard/compiled-devices.ts';
import { startInfrastructure } from './lanyard/infrastructure.ts';
import { removeData } from './lanyard/infrastructure-processes.ts';
import { command } from './lanyard/command-line.ts';
import { prepareSystem } from './lanyard/install.ts';
import { interruption } from './lanyard/interrupt.ts';
import { stopLeftOvers } from './lanyard/left-overs.ts';
import { environmentOfPython } from './lanyard/python-packages.ts';
import { stopProcess } from './lanyard/processes.ts';
import { compiledCode } from './lanyard/service-processes.ts';
import { StateFile } from './lanyard/state.ts';
import { root, say, Stop } from './lanyard/project.ts';

const usage = 'npm test [-- FILTER...] [--no-e2e | --only-e2e] [--interop [--install]] [--long]';
const isSet = { type: 'boolean', default: false } as const;
const options = { 'no-e2e': isSet, 'only-e2e': isSet, interop: isSet, install: isSet, long: isSet };
const dataDir = join(root, `.lanyard/test-${process.pid}`);

const total: { passed: number; failed: number } = { passed: 0, failed: 0 };
const files: { file: string; seconds: number }[] = [];
const slowestMax = 10;

/** Tests mostly wait for infrastructure, pauses and browsers. More workers take as long in total. */
const workers = { 'unit-and-integration': 6, 'end-to-end': 3 } as const;

const jest = async (
  name: keyof typeof workers,
  args: string[],
  { env, interrupted }: { env: Record<string, string>; interrupted: AbortSignal },
) => {
  if (interrupted.aborted) return;
  say(`tests: ${name}`);
  const report = join(dataDir, `${name}.json`);
  const code = await new Promise((done) => {
    const child = spawn(
      process.execPath,
      [
        'node_modules/jest/bin/jest.js',
        '--passWithNoTests',
        '--forceExit',
        `--maxWorkers=${workers[name]}`,
        '--json',
        `--outputFile=${report}`,
        ...args,
      ],
      {
        cwd: root,
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, ...env },
        signal: interrupted,
        killSignal: 'SIGINT',
      },
    );
    // An interrupt aborts the child, which emits this error before its exit.
    child.on('error', () => undefined);
    child.on('exit', (c, signal) => done(signal ? 1 : c));
  });
  count(report, Number(code));
};

interface JestReport {
  numPassedTests: number;
  numFailedTests: number;
  numFailedTestSuites: number;
  testResults: {
    name: string;
    status: string;
    startTime: number;
    endTime: number;
    assertionResults: { status: string }[];
  }[];
}

const count = (report: string, code: number) => {
  try {
    const { numPassedTests, numFailedTests, numFailedTestSuites, testResults } = JSON.parse(
      readFileSync(report, 'utf8'),
    ) as JestReport;
    // A file that cannot be loaded has failed, but has no failed test.
    const unloadable = testResults.filter(
      ({ status, assertionResults }) => status === 'failed' && assertionResults.every((one) => one.status !== 'failed'),
    );
    total.passed += numPassedTests;
    total.failed += numFailedTests + unloadable.length;
    if (code !== 0 && numFailedTests + numFailedTestSuites === 0) total.failed++;
    for (const { name, startTime, endTime } of testResults)
      files.push({ file: relative(root, name), seconds: (endTime - startTime) / 1_000 });
  } catch {
    total.failed++;
  }
};

await command({ usage, options, allowPositionals: true }, async ({ values: given, positionals: filters }) => {
  if (given['no-e2e'] && given['only-e2e']) throw new Stop('--no-e2e and --only-e2e together select no tests');
  if (filters.length === 0 && !given['no-e2e']) ensureBrowser();
  const interop = given.interop && {
    ...environmentOfCompiledDevices({ installs: given.install }),
    ...environmentOfPython({ required: given.install }),
  };
  await prepareSystem();
  // The servers have sessions of their own: nothing else ends them.
  const interrupted = interruption();
  interrupted.addEventListener('abort', () => say('stopping'));
  const logs = join(dataDir, 'logs');
  let infrastructure: Awaited<ReturnType<typeof startInfrastructure>> | undefined;
  try {
    infrastructure = await startInfrastructure({
      dataDir,
      logs,
      secrets: { databasePassword: 'lanyard' },
      state: { ports: {} },
      launchUnit: (unit, launch) => void (unit.pid = launch()),
      leftOvers: [],
      freePorts: true,
      fast: true,
      interrupted,
    });
    const { brokers, databaseUrl, redisUrl } = infrastructure.urls;
    const env = {
      KAFKA_BROKERS: brokers,
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      NODE_ENV: 'test',
      NODE_COMPILE_CACHE: compiledCode,
      LANYARD_DATA: dataDir,
      ...interop,
      ...(given.long && { LANYARD_TEST_LONG: 'true' }),
    };
    if (!given['only-e2e'])
      await jest(
        'unit-and-integration',
        ['--testPathIgnorePatterns=e2e-spec', '/dist/', '/node_modules/', ...pathPatterns(filters)],
        { env, interrupted },
      );
    if (!given['no-e2e']) {
      // Imported late, because it needs the build.
      const { deleteTopics } = await import('./testing/topics.ts');
      await deleteTopics(brokers.split(','));
      await jest('end-to-end', pathPatterns(['e2e-spec', ...filters]), { env, interrupted });
    }
  } finally {
    await stopSystems();
    await Promise.all(
      (infrastructure?.supervised ?? []).map(({ unit }) =>
        stopProcess(unit.pid, { signal: unit.stopSignal, waitMs: 5_000 }),
      ),
    );
    cleanUp();
  }
  printSlowest();
  process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`);
  return total.failed > 0 || total.passed === 0 || interrupted.aborted ? 1 : 0;
});

function printSlowest() {
  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, slowestMax);
  for (const { file, seconds } of slowest) process.stdout.write(`${seconds.toFixed(1).padStart(6)} s  ${file}\n`);
}

/** The option of Jest that selects the files whose path matches every pattern. */
function pathPatterns(patterns: string[]) {
  return patterns.length > 0 ? [`--testPathPatterns=${patterns.map((p) => `(?=.*${p})`).join('')}`] : [];
}

/** Stops services of a test file that failed before it could stop them. */
async function stopSystems() {
  if (!existsSync(dataDir)) return;
  const systems = readdirSync(dataDir).filter((name) => name.startsWith('e2e-'));
  const left = await stopLeftOvers(systems.flatMap((name) => new StateFile(join(dataDir, name)).state.units));
  if (left > 0) say(`stopped ${left} processes that tests left behind`);
}

function cleanUp() {
  if (process.env.LANYARD_KEEP_TEST_DATA) return;
  removeData(dataDir);
}
