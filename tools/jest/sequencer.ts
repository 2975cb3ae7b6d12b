/** The order of test files. */
import { createRequire } from 'node:module';
import { basename } from 'node:path';

interface Test {
  path: string;
}

const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer') as {
  default: new (options: object) => { sort(tests: readonly Test[]): Test[] };
};

/**
 * These files take half a minute or more, although their size does not show it: started last, one of them would run alone. Those
 * that keep the cores busy (console, infrastructure-down, access, openapi, the fleets) are placed among others that mostly wait.
 */
const first = [
  ...[
    'campaigns',
    'outbox-leader',
    'rejoin',
    'campaign-records',
    'stop',
    'lwm2m-gateways',
    'dtls',
    'dtls-take-over',
  ].map((name) => `${name}.int-spec.ts`),
  'slow-application.spec.ts',
  ...[
    'console',
    'interop',
    'dtls-replicas',
    'infrastructure-down',
    'campaigns',
    'journeys',
    'killed-services',
    'access',
    'cli',
    'lwm2m-gateways',
    'no-loss',
    'openapi',
    'dtls-clients',
    'proxy-replicas',
    'console-fleet',
    'device-kinds',
  ].map((name) => `${name}.e2e-spec.ts`),
];

const rankOf = ({ path }: Test): number => {
  const rank = first.indexOf(basename(path));
  return rank === -1 ? first.length : rank;
};

export default class SlowestFirst extends Sequencer {
  override sort(tests: readonly Test[]): Test[] {
    return super.sort(tests).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}
