/**
 * Replaces jest-runtime, which loads every module again for every test file, in a separate context: here Node
 * loads each module once for each worker, as it does in production. No test in this repository uses mocks, so no test
 * needs its own copy. Everything else of Jest is unchanged: runner, circus, expect, reporters.
 */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { setGlobals } from './globals.ts';
import { sourceMaps } from './loader.ts';

const require = createRequire(import.meta.url);

export default class Runtime {
  readonly setGlobalsForRuntime = setGlobals;
  readonly unstable_shouldLoadAsEsm = (path: string): boolean => path.endsWith('.ts');
  readonly unstable_importModule = (path: string): Promise<unknown> => import(pathToFileURL(path).href);
  readonly requireModule = (path: string): unknown => require(path);
  readonly getSourceMaps = (): Map<string, string> => sourceMaps;
  readonly enterTestCode = (): void => undefined;
  readonly leaveTestCode = (): void => undefined;
  readonly getAllCoverageInfoCopy = (): undefined => undefined;
  readonly teardown = (): void => undefined;

  /** For jest-circus, which keeps the tests of a file in its module and its event handlers in a global. */
  requireInternalModule(path: string): unknown {
    delete require.cache[path];
    Reflect.deleteProperty(globalThis, Symbol.for('EVENT_HANDLERS'));
    return require(path);
  }
}
