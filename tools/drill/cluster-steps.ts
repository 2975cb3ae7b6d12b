/** Disturbances of a cluster under load (docs/cluster.md). */
import { waitUntil } from '../lanyard/probes.ts';
import { sleep } from '../lanyard/project.ts';
import { apps, type App } from '../lanyard/service-processes.ts';
import { dnsReplicas } from '../cluster/addons.ts';
import { imageOf } from '../cluster/service-images.ts';
import { newCertificate, newIdentityKey } from './renewals.ts';
import type { ClusterSystem } from './cluster-system.ts';

export interface Step {
  name: string;
  work: () => Promise<string | void>;
  /** WebSockets must be closed with 1012 and no other code. */
  inOrder?: boolean;
}

const dnsAwayMs = 30_000;

/** The last of several nodes, to which no device or caller connects. */
const lastNode = ({ installation }: ClusterSystem) => installation.cluster.plan.nodes.at(-1)?.name ?? '';

const podsOn = async (system: ClusterSystem, node: string) =>
  (await system.pods()).filter(({ spec }) => spec?.['nodeName'] === node).length;

const loseNode = async (system: ClusterSystem) => {
  const { installation, kubectl } = system;
  const node = lastNode(system);
  const lost = await podsOn(system, node);
  await installation.cluster.stopNode(node);
  const isGone = async () => !(await installation.cluster.readyNodes()).includes(node);
  const started = Date.now();
  await waitUntil(`${node} is missed`, isGone, { timeoutMs: 120_000 });
  const missedAfter = ((Date.now() - started) / 1_000).toFixed(0);
  // As a provider of machines does; without this, the pods of a StatefulSet would wait for the node to come back.
  await kubectl.run(['delete', 'node', node]);
  await system.rolledOut();
  const replacedAfter = ((Date.now() - started) / 1_000).toFixed(0);
  await installation.cluster.startNode(node);
  await installation.cluster.nodesReady();
  return `${node} with ${lost} pods; missed after ${missedAfter} s, all replaced after ${replacedAfter} s`;
};

const drain = async (system: ClusterSystem) => {
  const node = lastNode(system);
  const moved = await podsOn(system, node);
  const options = ['--ignore-daemonsets', '--delete-emptydir-data', '--force', '--timeout=300s'];
  await system.kubectl.run(['drain', node, ...options], { timeoutMs: 310_000 });
  await system.rolledOut();
  await system.kubectl.run(['uncordon', node]);
  return `${moved} pods moved`;
};

const withoutDns = async (system: ClusterSystem) => {
  const scale = (replicas: number) =>
    system.kubectl.run(['-n', 'kube-system', 'scale', 'deployment/coredns', `--replicas=${replicas}`]);
  await scale(0);
  await sleep(dnsAwayMs);
  await scale(dnsReplicas);
  await system.kubectl.rolledOut('kube-system', 'deployment/coredns', 120_000);
};

/** Changes the image tag of one service, and reverts it; the other services are not touched. */
const upgradeAlone = async (system: ClusterSystem, app: App) => {
  await system.installation.tagImage(imageOf(app), imageOf(app, 'next'));
  const before = (await system.pods()).map(({ metadata }) => metadata.name);
  await system.setImages([app], 'next');
  await system.undo([app]);
  const others = before.filter((name) => !name.startsWith(`${app}-`));
  const now = new Set((await system.pods()).map(({ metadata }) => metadata.name));
  return `${others.filter((name) => now.has(name)).length} of ${others.length} other pods were not touched`;
};

/** Upgrades the event log before all other services, and rolls it back after them (docs/kubernetes.md). */
const upgrade = async (system: ClusterSystem) => {
  await system.setImages(['event-log'], 'dev');
  await system.setImages(allButEventLog, 'dev');
};

const rollBack = async (system: ClusterSystem) => {
  await system.undo(allButEventLog);
  await system.undo(['event-log']);
};

const allButEventLog = apps.filter((app) => app !== 'event-log');

export const upgradeNames = [
  'upgrade from the previous version',
  'back to the previous version',
  'upgrade again',
] as const;

/** Steps of a system that was started with the images of the previous version. */
export const upgradeSteps = (system: ClusterSystem): Step[] => [
  { name: upgradeNames[0], work: () => upgrade(system), inOrder: true },
  { name: upgradeNames[1], work: () => rollBack(system), inOrder: true },
  { name: upgradeNames[2], work: () => upgrade(system), inOrder: true },
];

/** Longer than a readiness probe needs to notice, shorter than what a liveness probe allows. */
const frozenMs = 25_000;

export const clusterSteps = (system: ClusterSystem): Step[] => {
  const { installation } = system;
  const several = installation.cluster.plan.nodes.length > 1;
  const scaled = (app: App, from: number, to: number): Step => ({
    name: `${app} from ${from} to ${to} replicas`,
    work: () => system.scaled(app, to),
    inOrder: true,
  });
  return [
    { name: 'nothing', work: () => sleep(10_000) },
    // Done before the pods of all services have moved once.
    ...(several ? [{ name: 'a node disappears', work: () => loseNode(system) }] : []),
    { name: 'rolling restart of everything', work: () => system.restartAll(), inOrder: true },
    ...(['dispatcher', 'device-proxy', 'gateway'] as const).flatMap((app) => [
      scaled(app, 2, 1),
      scaled(app, 1, 4),
      scaled(app, 4, 2),
    ]),
    ...apps.map((app) => ({ name: `a pod of ${app} killed`, work: () => system.killPod(app) })),
    ...apps.map((app) => ({ name: `a pod of ${app} out of memory`, work: () => system.exhaustMemory(app) })),
    ...apps.map((app) => ({ name: `a pod of ${app} frozen`, work: () => system.freeze(app, frozenMs) })),
    { name: 'a pod of device-proxy frozen for good', work: () => system.freezeForGood('device-proxy') },
    ...(several ? [{ name: 'a node drained', work: () => drain(system), inOrder: true }] : []),
    ...['redis', 'postgresql', 'kafka'].flatMap((name) => [
      { name: `restart of ${name}`, work: () => installation.restartServer(name) },
      { name: `kill -9 of ${name}`, work: () => installation.restartServer(name, 'SIGKILL') },
    ]),
    { name: `no DNS for ${dnsAwayMs / 1_000} s`, work: () => withoutDns(system) },
    { name: 'a new certificate for devices', work: () => newCertificate(system), inOrder: true },
    { name: 'a new identity key', work: () => newIdentityKey(system), inOrder: true },
    { name: 'dispatcher upgraded alone and back', work: () => upgradeAlone(system, 'dispatcher'), inOrder: true },
    { name: 'registry upgraded alone and back', work: () => upgradeAlone(system, 'registry') },
  ];
};
