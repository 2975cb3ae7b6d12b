import { Cluster } from '../cluster/cluster.ts';
import { Connections } from '../cluster/connections.ts';
import { Installation } from '../cluster/installation.ts';
import { travel } from '../cluster/journeys.ts';
import { hasImages, previousTag } from '../cluster/service-images.ts';
import { Usage } from '../cluster/usage.ts';
import { stopWhenInterrupted } from '../lanyard/interrupt.ts';
import { say, Stop } from '../lanyard/project.ts';
import { clusterSteps, upgradeNames, upgradeSteps } from './cluster-steps.ts';
import { ClusterSystem } from './cluster-system.ts';
import { Rehearsal } from './rehearsal.ts';
import { report } from './report.ts';
import type { readLoad } from './load-options.ts';

/** Installs Lanyard again on the running cluster, and drills it there; the cluster keeps running. Returns the exit code. */
export const drillOnCluster = async (load: ReturnType<typeof readLoad>, only: RegExp, asJson: boolean) => {
  const cluster = Cluster.found();
  if (!cluster?.isRunning) throw new Stop('No cluster runs: npm run cluster -- up, then npm run cluster -- load.');
  // The devices end with this process.
  stopWhenInterrupted(async () => undefined);
  const installation = new Installation(cluster);
  // Without them, the pods of an upgrade would wait for images that no registry has.
  if (hasImages()) await installation.loadImages();
  const isWanted = upgradeNames.some((name) => only.test(name));
  const isUpgraded = isWanted && hasImages(previousTag);
  if (isUpgraded) await installation.loadImages(undefined, previousTag);
  else if (isWanted)
    say(`no upgrade: there are no images of the previous version (npm run images -- --tag ${previousTag})`);
  const system = await new ClusterSystem(installation).prepare(isUpgraded ? previousTag : 'dev');
  const rehearsal = new Rehearsal(system, load);
  const usage = await new Usage(cluster.kubectl).start();
  const connections = new Connections(cluster, await installation.infrastructureUrls()).start();
  try {
    await rehearsal.begin();
    say('under load');
    const steps = [...(isUpgraded ? upgradeSteps(system) : []), ...clusterSteps(system)];
    for (const { name, work, inOrder } of steps)
      if (only.test(name)) await rehearsal.step(name, work, inOrder === undefined ? {} : { inOrder });
    say('waiting for what is owed');
    const outcome = await rehearsal.end();
    await rehearsal.step('journeys', () => travel(installation));
    const violations = [...outcome.violations, ...connections.violations()];
    const code = report(rehearsal, { ...outcome, violations }, asJson);
    if (!asJson) process.stdout.write(`\n${usage.table()}\n\n${connections.table()}\n`);
    return code;
  } finally {
    usage.stop();
    connections.stop();
    rehearsal.stop();
  }
};
