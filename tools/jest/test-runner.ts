/**
 * Runs jest-circus in the process of the worker. Test files that change state which all modules of a process share, or that
 * leave work behind, get a separate process: those whose path contains `ownProcess` of the project's testEnvironmentOptions.
 */
import { fork } from 'node:child_process';
import { createRequire, flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

interface ProjectConfig {
  testEnvironmentOptions: { ownProcess?: string };
}

export type Run = [globalConfig: object, config: ProjectConfig, environment: object, runtime: object, path: string];

/** jest-circus; it has no types of its own. */
export const circus = (
  createRequire(import.meta.url)('jest-circus/runner') as { default: (...run: Run) => Promise<object> }
).default;

const inOwnProcess = (globalConfig: object, config: object, path: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(new URL('own-process.ts', import.meta.url)), { serialization: 'json' });
    child.once('message', resolve);
    child.once('exit', (code, signal) => reject(new Error(`${path}: its process ended with ${code ?? signal}`)));
    child.send({ globalConfig, config, path });
  });

/** Writes V8's compile cache here, because at the end of the worker, it would take longer than Jest waits for that end. */
const inWorker = async (...run: Run): Promise<unknown> => {
  const result = await circus(...run);
  flushCompileCache();
  return result;
};

export default (...run: Run): Promise<unknown> => {
  const [globalConfig, config, , , path] = run;
  const { ownProcess } = config.testEnvironmentOptions;
  return ownProcess !== undefined && path.includes(ownProcess)
    ? inOwnProcess(globalConfig, config, path)
    : inWorker(...run);
};
