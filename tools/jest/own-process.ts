/** Runs one test file, and reports its result: the counterpart of `test-runner.ts`. */
import Environment from './environment.ts';
import Runtime from './runtime.ts';
import { circus, type Run } from './test-runner.ts';

process.once('message', ({ globalConfig, config, path }: { globalConfig: Run[0]; config: Run[1]; path: string }) => {
  const run = circus(globalConfig, config, new Environment(), new Runtime(), path);
  void run.then((result) => process.send?.(result, () => process.exit()));
});
