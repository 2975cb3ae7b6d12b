import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { root } from './lanyard/project.ts';

/** Source texts with a violation, each at its planned path. */
const violations: [what: string, path: string, text: string, rule: string][] = [
  [
    'an app imports another app',
    'apps/gateway/src/planted.ts',
    `import { start } from '../../registry/src/start.js';\nexport const planted = start;\n`,
    '@nx/enforce-module-boundaries',
  ],
  [
    'a library imports an app',
    'libs/service/src/planted.ts',
    `import { start } from '../../../apps/registry/src/start.js';\nexport const planted = start;\n`,
    '@nx/enforce-module-boundaries',
  ],
  [
    'a platform library imports a protocol library',
    'libs/service/src/planted.ts',
    `import { decodeValues } from '@lanyard/lwm2m';\nexport const planted = decodeValues;\n`,
    '@nx/enforce-module-boundaries',
  ],
  [
    'a protocol library imports a platform library',
    'libs/coap/src/planted.ts',
    `import { newId } from '@lanyard/service';\nexport const planted = newId;\n`,
    '@nx/enforce-module-boundaries',
  ],
  [
    'the contracts import anything of ours',
    'libs/contracts/src/planted.ts',
    `import { newId } from '@lanyard/service';\nexport const planted = newId;\n`,
    '@nx/enforce-module-boundaries',
  ],
  [
    'a source file imports the testing library',
    'apps/registry/src/planted.ts',
    `import { eventually } from '@lanyard/testing';\nexport const planted = eventually;\n`,
    '@nx/enforce-module-boundaries',
  ],
  [
    'an app imports kafkajs',
    'apps/dispatcher/src/planted.ts',
    `import kafkajs from 'kafkajs';\nexport const planted = kafkajs;\n`,
    '@nx/enforce-module-boundaries',
  ],
  [
    'a protocol library imports kafkajs',
    'libs/coap/src/planted.ts',
    `import kafkajs from 'kafkajs';\nexport const planted = kafkajs;\n`,
    '@nx/enforce-module-boundaries',
  ],
  [
    'a scenario of the whole system imports kafkajs',
    'e2e/planted.ts',
    `import kafkajs from 'kafkajs';\nexport const planted = kafkajs;\n`,
    '@nx/enforce-module-boundaries',
  ],
  [
    'a protocol library imports a package of the platform',
    'libs/lwm2m/src/planted.ts',
    `import pino from 'pino';\nexport const planted = pino;\n`,
    '@nx/enforce-module-boundaries',
  ],
  [
    'a library reaches into another one past its index',
    'libs/kafka/src/planted.ts',
    `import { newId } from '../../service/src/index.js';\nexport const planted = newId;\n`,
    '@nx/enforce-module-boundaries',
  ],
  [
    'a platform library other than libs/kafka imports kafkajs',
    'libs/service/src/planted.ts',
    `import kafkajs from 'kafkajs';\nexport const planted = kafkajs;\n`,
    'no-restricted-imports',
  ],
  [
    'the environment comes in by import',
    'apps/snapshot/src/planted.ts',
    `import { env } from 'node:process';\nexport const planted = env;\n`,
    'no-restricted-imports',
  ],
  [
    'something other than config.ts reads the environment',
    'apps/snapshot/src/planted.ts',
    `export const planted = process.env['HOME'];\n`,
    'no-restricted-syntax',
  ],
  [
    'a file of more than 400 lines',
    'apps/event-log/src/planted.ts',
    Array.from({ length: 401 }, (_, n) => `export const planted${n} = ${n};\n`).join(''),
    'max-lines',
  ],
  [
    'any',
    'apps/event-log/src/planted.ts',
    `export const planted = (x: any): unknown => x;\n`,
    '@typescript-eslint/no-explicit-any',
  ],
  [
    'a folder imports from a layer above its own',
    'apps/event-log/src/log/planted.ts',
    `import { codes } from '../query/list-events.js';\nexport const planted = codes;\n`,
    'lanyard/layers',
  ],
  [
    'a folder imports a type from a layer above its own',
    'apps/event-log/src/log/planted.ts',
    `import type { Codes } from '../query/list-events.js';\nexport type Planted = Codes;\n`,
    'lanyard/layers',
  ],
  [
    'a folder names a type of a layer above its own where it needs it',
    'apps/event-log/src/log/planted.ts',
    `export type Planted = import('../query/list-events.js').Codes;\n`,
    'lanyard/layers',
  ],
  [
    'a folder loads a layer above its own late',
    'apps/event-log/src/log/planted.ts',
    `export const planted = (): Promise<unknown> => import('../query/list-events.js');\n`,
    'lanyard/layers',
  ],
  [
    'a folder re-exports from a layer above its own',
    'apps/event-log/src/log/planted.ts',
    `export * from '../query/list-events.js';\n`,
    'lanyard/layers',
  ],
  [
    'a folder imports from another one of its layer',
    'apps/event-log/src/groups/planted.ts',
    `import { ranges } from '../partitions/ranges.js';\nexport const planted = ranges;\n`,
    'lanyard/layers',
  ],
  [
    'a folder imports what wires the app',
    'apps/event-log/src/tail/planted.ts',
    `import { AppModule } from '../app.module.js';\nexport const planted = AppModule;\n`,
    'lanyard/layers',
  ],
  [
    'a file below all folders imports from one',
    'apps/event-log/src/errors.ts',
    `import { codes } from './log/codes.js';\nexport const planted = codes;\n`,
    'lanyard/layers',
  ],
  [
    'the list of layers does not name a folder',
    'apps/event-log/src/planted/planted.ts',
    `export const planted = 1;\n`,
    'lanyard/layers',
  ],
];

const allowed: [what: string, path: string, text: string][] = [
  [
    'an app uses contracts, platform and protocol',
    'apps/device-proxy/src/planted.ts',
    `import { decodeMessage } from '@lanyard/coap';
import { DeviceValues } from '@lanyard/contracts';
import { KafkaProducer } from '@lanyard/kafka';
import { newId } from '@lanyard/service';
export const planted = [decodeMessage, DeviceValues, KafkaProducer, newId];
`,
  ],
  [
    'a test of an app uses the testing library',
    'apps/registry/test/planted.int-spec.ts',
    `import { eventually } from '@lanyard/testing';\nexport const planted = eventually;\n`,
  ],
  [
    'a folder imports from layers below its own',
    'apps/event-log/src/tail/planted.ts',
    `import { codes } from '../log/codes.js';
import { StoredEvents } from '../query/stored-events.js';
import { errors } from '../errors.js';
export const planted = [codes, StoredEvents, errors];
`,
  ],
  ['config.ts reads the environment', 'apps/snapshot/src/config.ts', `export const planted = process.env['HOME'];\n`],
];

const node = (args: string[], input?: string): string => {
  const env = { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false', NODE_OPTIONS: '' };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, env, input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}${stdout}`);
  return stdout;
};

describe('the lint of module boundaries', () => {
  let rulesBroken: string[][];

  beforeAll(() => {
    // Without a project graph the rule says nothing about anything.
    node(['node_modules/nx/dist/bin/nx.js', 'graph', '--file=.nx/planted-graph.json']);
    const planted = [...violations, ...allowed].map(([, path, text]) => ({ path: join(root, path), text }));
    rulesBroken = JSON.parse(node(['tools/testing/lint-texts.ts'], JSON.stringify(planted))) as string[][];
  }, 120_000);

  it.each(violations.map(([what, , , rule], n) => [what, n, rule] as const))('refuses: %s', (_, n, rule) => {
    expect(rulesBroken[n]).toContain(rule);
  });

  it.each(allowed.map(([what], n) => [what, violations.length + n] as const))('takes: %s', (_, n) => {
    expect(rulesBroken[n]).toEqual([]);
  });
});
