/** Python programs, each in its own virtual environment: a third-party SDK and a CoAP client, for tests, and podman-compose. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, say, Stop } from './project.ts';

interface Environment {
  /** The folder below `.lanyard`. */
  folder: string;
  requirements: string[];
}

/** `variable` gives the tests the path of its Python; `what` is its name in messages. */
type TestEnvironment = Environment & { variable: string; what: string };

const sdk: TestEnvironment = {
  folder: 'python-sdk',
  requirements: ['mbed-cloud-sdk==2.2.0'],
  variable: 'LANYARD_PYTHON',
  what: 'the Python SDK',
};

/** pip compiles DTLSSocket, with the compilers that `compiled-devices.ts` finds. */
const aiocoap: TestEnvironment = {
  folder: 'aiocoap',
  requirements: ['aiocoap==0.4.17', 'DTLSSocket==0.2.3'],
  variable: 'LANYARD_AIOCOAP',
  what: 'aiocoap',
};

const compose: Environment = { folder: 'podman-compose', requirements: ['podman-compose==1.6.0'] };

const runs = (program: string, args: string[]) => {
  const { error, status } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'], timeout: 300_000 });
  return error === undefined && status === 0;
};

const programOf = ({ folder }: Environment, name: string) => join(root, '.lanyard', folder, 'bin', name);

/** Installs the packages. Returns what is missing; undefined when they can be used. */
const prepare = (environment: Environment) => {
  const { folder, requirements } = environment;
  const place = join(root, '.lanyard', folder);
  const python = programOf(environment, 'python');
  const wanted = requirements.join(' ');
  /** Written when the installation is complete. */
  const complete = join(place, wanted);
  if (existsSync(complete)) return undefined;
  rmSync(place, { recursive: true, force: true });
  mkdirSync(join(root, '.lanyard'), { recursive: true });
  if (!runs('python3', ['-m', 'venv', place])) return 'python3 with venv:  apt-get install python3-venv';
  if (!runs(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...requirements]))
    return `${wanted} from the package index of pip`;
  writeFileSync(complete, '');
  return undefined;
};

/**
 * The environment in which the end-to-end tests run Python; they skip tests for packages that are missing. Throws Stop when
 * a required package is missing.
 */
export const environmentOfPython = ({ required }: { required: boolean }): Record<string, string> =>
  Object.fromEntries(
    [sdk, aiocoap].flatMap((one) => {
      const missing = prepare(one);
      if (missing === undefined) return [[one.variable, programOf(one, 'python')]];
      if (required) throw new Stop(`Missing for ${one.what}: ${missing}`);
      say(`${one.what} is not tested, missing: ${missing}`);
      return [];
    }),
  );

/**
 * Path of the podman-compose that this project installs, whatever version the machine has. Throws Stop if it cannot be
 * installed.
 */
export const podmanCompose = (): string => {
  const missing = prepare(compose);
  if (missing !== undefined) throw new Stop(`Missing for Docker Compose with Podman: ${missing}`);
  return programOf(compose, 'podman-compose');
};
