import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { root } from './lanyard/project.ts';
import { layersOf } from './lint/layers.ts';

const boundaries = '@nx/enforce-module-boundaries';
const layers = 'lanyard/layers';

const imports = (name: string, from: string): string =>
  `import { ${name} } from '${from}';\nexport const planted = ${name};\n`;

/** Source texts with a violation, each at its planned path; what they violate. */
const violations: [path: string, text: string, rule: string][] = [
  ['apps/gateway/src/planted.ts', imports('start', '../../registry/src/start.js'), boundaries],
  ['libs/service/src/planted.ts', imports('start', '../../../apps/registry/src/start.js'), boundaries],
  ['libs/service/src/planted.ts', imports('decodeValues', '@lanyard/lwm2m'), boundaries],
  ['libs/coap/src/planted.ts', imports('newId', '@lanyard/service'), boundaries],
  ['libs/contracts/src/planted.ts', imports('newId', '@lanyard/service'), boundaries],
  ['apps/registry/src/planted.ts', imports('eventually', '@lanyard/testing'), boundaries],
  ['apps/dispatcher/src/planted.ts', imports('Kafka', 'kafkajs'), boundaries],
  ['libs/coap/src/planted.ts', imports('Kafka', 'kafkajs'), boundaries],
  ['e2e/planted.ts', imports('Kafka', 'kafkajs'), boundaries],
  ['libs/lwm2m/src/planted.ts', imports('pino', 'pino'), boundaries],
  ['libs/kafka/src/planted.ts', imports('newId', '../../service/src/index.js'), boundaries],
  ['libs/service/src/planted.ts', imports('Kafka', 'kafkajs'), 'no-restricted-imports'],
  ['apps/snapshot/src/planted.ts', imports('env', 'node:process'), 'no-restricted-imports'],
  ['apps/snapshot/src/planted.ts', `export const planted = process.env['HOME'];\n`, 'no-restricted-syntax'],
  ['apps/event-log/src/planted.ts', 'export {};\n'.repeat(401), 'max-lines'],
  ['apps/event-log/src/log/planted.ts', imports('codes', '../query/list-events.js'), layers],
  ['apps/event-log/src/log/planted.ts', `export type P = import('../query/list-events.js').C;\n`, layers],
  ['apps/event-log/src/log/planted.ts', `export const p = () => import('../query/list-events.js');\n`, layers],
  ['apps/event-log/src/log/planted.ts', `export * from '../query/list-events.js';\n`, layers],
  ['apps/event-log/src/groups/planted.ts', imports('ranges', '../partitions/ranges.js'), layers],
  ['apps/event-log/src/tail/planted.ts', imports('AppModule', '../app.module.js'), layers],
  ['apps/event-log/src/errors.ts', imports('codes', './log/codes.js'), layers],
  ['apps/event-log/src/planted/planted.ts', `export const planted = 1;\n`, layers],
];

const allowed: [path: string, text: string][] = [
  ['apps/device-proxy/src/planted.ts', imports('decodeMessage', '@lanyard/coap')],
  ['apps/device-proxy/src/planted.ts', imports('KafkaProducer', '@lanyard/kafka')],
  ['apps/registry/test/planted.int-spec.ts', imports('eventually', '@lanyard/testing')],
  ['apps/event-log/src/tail/planted.ts', imports('codes', '../log/codes.js')],
  ['apps/snapshot/src/config.ts', `export const planted = process.env['HOME'];\n`],
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
    const planted = [...violations, ...allowed].map(([path, text]) => ({ path: join(root, path), text }));
    rulesBroken = JSON.parse(node(['tools/testing/lint-texts.ts'], JSON.stringify(planted))) as string[][];
  });

  it('refuses what crosses a boundary', () => {
    const missed = violations.filter(([, , rule], n) => !rulesBroken[n]?.includes(rule));
    expect(missed).toEqual([]);
  });

  it('accepts what stays within', () => {
    expect(rulesBroken.slice(violations.length)).toEqual(allowed.map(() => []));
  });
});

it('every project whose src has folders lists its layers', () => {
  const projects = ['apps', 'libs'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(root, group, name)),
  );
  const withFolders = projects.filter(
    (project) =>
      existsSync(join(project, 'src')) &&
      readdirSync(join(project, 'src'), { withFileTypes: true }).some((entry) => entry.isDirectory()),
  );
  expect(withFolders.filter((project) => !layersOf(readFileSync(join(project, 'README.md'), 'utf8')))).toEqual([]);
});
