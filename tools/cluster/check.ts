/** The short form, for every change: one node, images of what this checkout has built, the journeys. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { stopWhenInterrupted } from '../lanyard/interrupt.ts';
import { runProgram } from '../lanyard/install.ts';
import { dataFolder, say } from '../lanyard/project.ts';
import { apps } from '../lanyard/service-processes.ts';
import { Cluster } from './cluster.ts';
import { Installation } from './installation.ts';
import { travel } from './journeys.ts';
import { planOf } from './plan.ts';
import { missingPrograms } from './programs.ts';
import { hasImages } from './service-images.ts';

/** Beside a cluster that may run. */
const network = '10.79.0';

const tag = 'check';

/** What this checkout has built, on base images that are there. */
const buildImages = async () => {
  const services = apps.flatMap((app) => ['--service', app]);
  await runProgram(process.execPath, ['tools/images.ts', '--assembled', '--tag', tag, ...services]);
};

/** What is missing, which takes longer to make than a check may take. */
const reasonToSkip = (archive: string | undefined) => {
  const missing = missingPrograms(['kubernetes', 'coredns']);
  if (missing.length > 0) return `not built on this machine: ${missing.join(', ')} (npm run cluster -- up)`;
  if (process.getuid?.() !== 0) return 'namespaces and mounts need root';
  if (archive === undefined && !hasImages()) return 'no base of images on this machine (npm run images)';
  return undefined;
};

export const check = async (archive: string | undefined) => {
  const reason = reasonToSkip(archive);
  if (reason !== undefined) {
    process.stdout.write(`cluster: skipped, ${reason}\n`);
    return;
  }
  const cluster = new Cluster(planOf(1, { folder: join(dataFolder(), 'cluster-check'), network }));
  if (archive === undefined) await buildImages();
  const installation = new Installation(cluster);
  const end = async () => {
    await installation.stopEngines();
    await cluster.stop();
  };
  const notInterrupted = stopWhenInterrupted(end);
  try {
    rmSync(cluster.plan.folder, { recursive: true, force: true });
    await cluster.start(['coredns']);
    const loaded = archive === undefined ? tag : 'dev';
    await installation.loadImages(archive, loaded);
    await installation.install({}, loaded);
    await travel(installation);
    say('cluster: passed');
  } finally {
    notInterrupted();
    await end();
  }
};
