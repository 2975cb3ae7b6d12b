/**
 * `npm run cluster -- up|load|check|scale|autoscale|status|down`: a Kubernetes cluster on this machine, without Docker and
 * without a registry (docs/cluster.md).
 * `up` starts it, `load` imports the images and installs the dev overlay, `down` ends it and leaves nothing
 * behind. `check` does all of this with a temporary node, and tests the journeys of devices and applications.
 * `scale` measures the effect of more replicas, `autoscale` lets KEDA add and remove replicas.
 */
import { existsSync } from 'node:fs';
import { command, pattern, type readCommandLine, wholeNumber } from './lanyard/command-line.ts';
import { build } from './lanyard/install.ts';
import { stopWhenInterrupted } from './lanyard/interrupt.ts';
import { say, Stop } from './lanyard/project.ts';
import { ensureDebianPrograms } from './cluster/debian.ts';
import { nodesMax, planOf } from './cluster/plan.ts';
import { buildPrograms, missingPrograms, sources, type SourceName } from './cluster/programs.ts';

const usage = `npm run cluster -- up [--nodes N] [--without keda,metrics-server] | load [--archive FILE] | check [--kind dev|local|chart] [--archive FILE] | scale [--only REGEXP] [--seconds N] [--rounds N] [--millicores N] | autoscale [--millicores N] | status | down [--context [--registry NAME]]`;

const options = {
  nodes: { type: 'string', default: '3' },
  without: { type: 'string', default: '' },
  archive: { type: 'string' },
  context: { type: 'boolean', default: false },
  registry: { type: 'string' },
  kind: { type: 'string', default: 'dev' },
  only: { type: 'string', default: '' },
  seconds: { type: 'string', default: '20' },
  rounds: { type: 'string', default: '3' },
  millicores: { type: 'string', default: '150' },
} as const;

const commands = ['up', 'load', 'check', 'scale', 'autoscale', 'status', 'down'];

/** Kinds of installations that `check` knows. */
const kinds = ['dev', 'local', 'chart'] as const;

type Values = ReturnType<typeof readCommandLine<typeof options>>['values'];

/** Without CoreDNS, services cannot find each other. */
const addonsWanted = ({ without }: Values) => {
  const left = without.split(',').filter(Boolean);
  const unknown = left.find((name) => name !== 'keda' && name !== 'metrics-server');
  if (unknown !== undefined) throw new Stop(`--without takes keda and metrics-server, not "${unknown}"`);
  return (['coredns', 'metrics-server', 'keda'] as const).filter((name) => !left.includes(name));
};

const nodesWanted = (values: Values) => {
  const nodes = wholeNumber('nodes', values.nodes, 1);
  if (nodes > nodesMax) throw new Stop(`--nodes takes a whole number up to ${nodesMax}, not "${values.nodes}"`);
  return nodes;
};

const found = async () => (await import('./cluster/cluster.ts')).Cluster.found();

const running = async () => {
  const cluster = await found();
  if (!cluster?.isRunning) throw new Stop('No cluster runs: npm run cluster -- up');
  return cluster;
};

const up = async (values: Values) => {
  const [nodes, addons] = [nodesWanted(values), addonsWanted(values)];
  ensureDebianPrograms();
  await buildPrograms(['kubernetes', ...addons] satisfies SourceName[]);
  await build();
  const { Cluster } = await import('./cluster/cluster.ts');
  const known = await found();
  if (known?.isRunning) throw new Stop('A cluster runs already: npm run cluster -- down ends it.');
  await down();
  const cluster = new Cluster(planOf(nodes));
  await cluster.start(addons);
  say('the cluster is ready');
  process.stdout.write(`\n  kubectl      ${cluster.kubectl.line}\n\n`);
};

const load = async ({ archive }: Values) => {
  const cluster = await running();
  const { Installation } = await import('./cluster/installation.ts');
  const installation = new Installation(cluster);
  await installation.loadImages(archive);
  await installation.install();
  process.stdout.write(`\nLanyard runs on the cluster.\n${installation.report().join('\n')}\n\n`);
};

const check = async ({ archive, kind }: Values) => {
  const wanted = kinds.find((known) => known === kind);
  if (!wanted) throw new Stop(`--kind takes ${kinds.join(', ')}, not "${kind}"`);
  await build();
  const { check: checkCluster } = await import('./cluster/check.ts');
  return checkCluster(archive, wanted);
};

const scale = async ({ only, seconds, rounds, millicores }: Values) => {
  const wanted = pattern('only', only);
  const cluster = await running();
  stopWhenInterrupted(async () => undefined);
  const { scaling } = await import('../bench/cluster/scaling.ts');
  await scaling(cluster, wanted, {
    seconds: wholeNumber('seconds', seconds, 1),
    rounds: wholeNumber('rounds', rounds, 1),
    millicores: wholeNumber('millicores', millicores, 1),
  });
};

const autoscale = async ({ millicores }: Values) => {
  const cluster = await running();
  stopWhenInterrupted(async () => undefined);
  const { autoscaling } = await import('../bench/cluster/autoscaling.ts');
  return autoscaling(cluster, wholeNumber('millicores', millicores, 1));
};

const down = async () => {
  const cluster = await found();
  if (!cluster) return;
  const { Installation } = await import('./cluster/installation.ts');
  await new Installation(cluster).stopInfrastructure();
  await cluster.stop();
  say('the cluster is gone');
};

const status = async () => {
  const missing = missingPrograms(Object.keys(sources) as SourceName[]);
  process.stdout.write(missing.length === 0 ? 'All programs are built.\n' : `Not built yet: ${missing.join(', ')}\n`);
  const cluster = await found();
  if (!cluster?.isRunning) {
    process.stdout.write('No cluster runs.\n');
    return 1;
  }
  const { Installation } = await import('./cluster/installation.ts');
  const installation = new Installation(cluster);
  process.stdout.write(await cluster.kubectl.run(['get', 'nodes', '-o', 'wide']));
  process.stdout.write(await cluster.kubectl.run(['get', 'pods', '--all-namespaces', '-o', 'wide']));
  if (existsSync(installation.keyFile)) process.stdout.write(`${installation.report().join('\n')}\n`);
  process.stdout.write(`  kubectl      ${cluster.kubectl.line}\n`);
  return 0;
};

await command({ usage, options, allowPositionals: true }, async ({ values, positionals }) => {
  const [name = '', ...more] = positionals;
  if (!commands.includes(name) || more.length > 0) throw new Stop(usage);
  if (values.context) return (await import('./cluster/context.ts')).inContext(name, values);
  return { up, load, check, scale, autoscale, status, down }[name as 'up'](values);
});
