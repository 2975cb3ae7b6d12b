import { Cluster } from '../cluster/cluster.ts';
import { Installation } from '../cluster/installation.ts';
import { say, Stop } from '../lanyard/project.ts';
import { clusterSteps } from './cluster-steps.ts';
import { ClusterSystem } from './cluster-system.ts';
import { Rehearsal } from './rehearsal.ts';
import { report } from './report.ts';
import type { readLoad } from './load-options.ts';

/** On the cluster that runs, on which it installs Lanyard again; it continues to run afterwards. Gives the exit code. */
export const drillOnCluster = async (load: ReturnType<typeof readLoad>, only: RegExp, asJson: boolean) => {
  const cluster = Cluster.found();
  if (!cluster?.isRunning) throw new Stop('No cluster runs: npm run cluster -- up, then npm run cluster -- load.');
  const system = await new ClusterSystem(new Installation(cluster)).prepare();
  const rehearsal = new Rehearsal(system, load);
  try {
    await rehearsal.begin();
    say('under load');
    for (const { name, work, inOrder } of clusterSteps(system))
      if (only.test(name)) await rehearsal.step(name, work, inOrder === undefined ? {} : { inOrder });
    say('waiting for what is owed');
    return report(rehearsal, await rehearsal.end(), asJson);
  } finally {
    rehearsal.stop();
  }
};
