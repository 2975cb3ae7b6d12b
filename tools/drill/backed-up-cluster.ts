/** The local cluster with an installation to be backed up, and another cluster that replaces it. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Cluster } from '../cluster/cluster.ts';
import { Installation } from '../cluster/installation.ts';
import { namespace } from '../cluster/overlay.ts';
import { planOf } from '../cluster/plan.ts';
import { waitUntil } from '../lanyard/probes.ts';
import { outputOf } from '../lanyard/programs.ts';
import { dataFolder, say, Stop } from '../lanyard/project.ts';
import { pollOften } from './update-campaign.ts';
import type { InfrastructureUrls } from '../lanyard/service-processes.ts';
import type { BackedUpSystem } from './backup-rehearsal.ts';

const settings = { campaigns: Object.entries(pollOften).map(([name, value]) => `${name}=${value}`) };

/** Files that a restored installation needs besides the backup (docs/backup.md), by path in the folder of a cluster. */
const kept = ['infrastructure/secrets.json', 'packages', 'images'];

class BackedUpCluster implements BackedUpSystem {
  installation: Installation;
  infrastructureUrls!: InfrastructureUrls;

  constructor(cluster: Cluster) {
    this.installation = new Installation(cluster);
  }

  async install() {
    await this.installation.install(settings);
    this.infrastructureUrls = await this.installation.infrastructureUrls();
    return this;
  }

  get baseUrl() {
    return this.installation.baseUrl;
  }

  get coapUrls() {
    return this.installation.coapUrls;
  }

  get adminKey() {
    return this.installation.adminKey;
  }

  get callbackHost() {
    return this.installation.cluster.plan.host;
  }

  private async scale(replicas: number) {
    const { kubectl, workloads } = this.installation;
    await kubectl.run(['-n', namespace, 'scale', ...workloads, `--replicas=${replicas}`]);
  }

  async stopServices() {
    await this.scale(0);
    const areGone = async () => (await this.installation.kubectl.list('pods', '-n', namespace)).length === 0;
    await waitUntil('the services to stop', areGone, { timeoutMs: 180_000 });
  }

  async revive() {
    await this.scale(1);
    await this.installation.rolledOut();
  }

  /** Ends this cluster, and starts another one with as many nodes. */
  async another() {
    const { cluster } = this.installation;
    const { folder, nodes } = cluster.plan;
    mkdirSync(dataFolder(), { recursive: true });
    const aside = mkdtempSync(join(dataFolder(), 'cluster-kept-'));
    // Copied with their owners, because the pods do not run as root.
    const copy = (from: string, to: string) => {
      for (const path of kept) {
        mkdirSync(dirname(join(to, path)), { recursive: true });
        outputOf('cp', ['-a', join(from, path), join(to, path)]);
      }
    };
    try {
      copy(folder, aside);
      await this.stop();
      copy(aside, folder);
    } finally {
      rmSync(aside, { recursive: true, force: true });
    }
    const second = new Cluster(planOf(nodes.length));
    await second.start(['coredns']);
    say('another cluster');
    return new BackedUpCluster(second).install();
  }

  async stop() {
    const { cluster } = this.installation;
    if (!cluster.isRunning) return;
    await this.installation.stopInfrastructure();
    await cluster.stop();
  }
}

export const clusterToBackUp = async () => {
  const cluster = Cluster.found();
  if (!cluster?.isRunning) throw new Stop('No cluster runs: npm run cluster -- up, then npm run cluster -- load.');
  const system = new BackedUpCluster(cluster);
  await system.installation.uninstall();
  return system.install();
};
