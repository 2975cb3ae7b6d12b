/** The Python SDK that other people's applications use (e2e/python-sdk), in a virtual environment of its own. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, say, Stop } from './project.ts';

const requirement = 'mbed-cloud-sdk==2.2.0';
const place = join(root, '.lanyard/python-sdk');
const python = join(place, 'bin/python');
/** Written when everything is there. */
const complete = join(place, requirement);

const runs = (program: string, args: string[]) => {
  const { error, status } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'], timeout: 300_000 });
  return error === undefined && status === 0;
};

/** What is missing; undefined when the package can be used. */
const prepare = () => {
  if (existsSync(complete)) return undefined;
  rmSync(place, { recursive: true, force: true });
  mkdirSync(join(root, '.lanyard'), { recursive: true });
  if (!runs('python3', ['-m', 'venv', place])) return 'python3 with venv:  apt-get install python3-venv';
  if (!runs(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', requirement]))
    return `${requirement} from the package index of pip`;
  writeFileSync(complete, '');
  return undefined;
};

/**
 * The environment in which the end-to-end tests run the Python SDK; without it they leave it out. Throws Stop when it is
 * missing although it is required.
 */
export const environmentOfPythonSdk = ({ required }: { required: boolean }) => {
  const missing = prepare();
  if (missing === undefined) return { LANYARD_PYTHON: python };
  if (required) throw new Stop(`Missing for the Python SDK: ${missing}`);
  say(`the Python SDK is not tested, missing: ${missing}`);
  return {};
};
