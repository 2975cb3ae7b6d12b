/** The order of test files. */
import { createRequire } from 'node:module';

interface Test {
  path: string;
}

const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer') as {
  default: new (options: object) => { sort(tests: readonly Test[]): Test[] };
};

/** They take a minute or more, which the size of a file does not show: begun last, one of them would run alone. */
const first = /(infrastructure-down|console|console-fleet|access|journeys|openapi|interop|gateways|replicas)\.e2e-spec/;

export default class SlowestFirst extends Sequencer {
  override sort(tests: readonly Test[]): Test[] {
    const sorted = super.sort(tests);
    return [...sorted.filter(({ path }) => first.test(path)), ...sorted.filter(({ path }) => !first.test(path))];
  }
}
