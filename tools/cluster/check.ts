/** A check on a temporary node: images of this checkout's build, one kind of installation, and the journeys. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { stopWhenInterrupted } from '../lanyard/interrupt.ts';
import { runProgram } from '../lanyard/programs.ts';
import { dataFolder, say } from '../lanyard/project.ts';
import { apps } from '../lanyard/service-processes.ts';
import { Cluster } from './cluster.ts';
import { Installation } from './installation.ts';
import { travel } from './journeys.ts';
import { planOf } from './plan.ts';
import { missingPrograms } from './programs.ts';
import { hasImages, imageOf } from './service-images.ts';

/** A network that is different from that of a cluster that may be running. */
const network = '10.79.0';

const tag = 'check';

/** Builds images of this checkout's build, on base images that are available. */
const buildImages = async () => {
  const services = apps.flatMap((app) => ['--service', app]);
  await runProgram(process.execPath, ['tools/images.ts', '--assembled', '--tag', tag, ...services]);
};

/** Prerequisites that are missing, and take longer to build than a check may take. */
const reasonToSkip = (archive: string | undefined) => {
  const missing = missingPrograms(['kubernetes', 'coredns']);
  if (missing.length > 0) return `not built on this machine: ${missing.join(', ')} (npm run cluster -- up)`;
  if (process.getuid?.() !== 0) return 'namespaces and mounts need root';
  if (archive === undefined && !hasImages()) return 'no base of images on this machine (npm run images)';
  return undefined;
};

/** Each kind as documented: the dev overlay with infrastructure outside the cluster, the overlay with its own, and the Helm chart. */
const kinds = {
  dev: async () => Installation,
  local: async () => (await import('./installations/local-overlay.ts')).LocalOverlay,
  chart: async () => (await import('./installations/chart.ts')).Chart,
};

/** Prints the memory that the pods use, as the kubelet measures it. */
const reportMemory = async ({ kubectl }: Cluster) => {
  const { pods } = JSON.parse(await kubectl.run(['get', '--raw', '/api/v1/nodes/node1/proxy/stats/summary'])) as {
    pods: { podRef: { name: string }; memory?: { workingSetBytes?: number } }[];
  };
  const used = pods.map(({ podRef, memory }) => [podRef.name, (memory?.workingSetBytes ?? 0) / 2 ** 20] as const);
  const total = used.reduce((sum, [, mebibytes]) => sum + mebibytes, 0);
  for (const [name, mebibytes] of [...used, ['together', total] as const]) say(`${Math.round(mebibytes)} MiB  ${name}`);
};

/** Ends what a check that was killed left behind in this folder: its state is needed for that. */
export const endPrevious = async (folder: string) => {
  const previous = Cluster.found(folder);
  if (previous) {
    await new Installation(previous).stopInfrastructure();
    await previous.stop();
  }
  rmSync(folder, { recursive: true, force: true });
};

export const check = async (archive: string | undefined, kind: keyof typeof kinds) => {
  const reason = reasonToSkip(archive);
  if (reason !== undefined) {
    process.stdout.write(`cluster: skipped, ${reason}\n`);
    return;
  }
  const cluster = new Cluster(planOf(1, { folder: join(dataFolder(), 'cluster-check'), network }));
  if (archive === undefined) await buildImages();
  const Kind = await kinds[kind]();
  const installation = new Kind(cluster);
  const end = async () => {
    await installation.stopInfrastructure();
    await cluster.stop();
  };
  const notInterrupted = stopWhenInterrupted(end);
  try {
    await endPrevious(cluster.plan.folder);
    await cluster.start(['coredns']);
    await installation.loadImages(archive, tag);
    if (archive === undefined) for (const app of apps) await installation.tagImage(imageOf(app, tag), imageOf(app));
    const started = Date.now();
    await installation.install();
    say(`installed and ready after ${Math.round((Date.now() - started) / 1_000)} s`);
    await travel(installation);
    await reportMemory(cluster);
    await installation.after();
    say('cluster: passed');
  } finally {
    notInterrupted();
    await end();
  }
};
