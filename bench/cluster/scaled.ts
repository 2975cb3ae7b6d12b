/** A service on the cluster whose pods may use only a part of a processor, so that more of them have more CPU time. */
import { Lanyard } from '@lanyard/client';
import { Container } from '../../tools/cluster/containers.ts';
import { namespace, workloadOf } from '../../tools/cluster/overlay.ts';
import { waitUntil } from '../../tools/lanyard/probes.ts';
import type { Installation } from '../../tools/cluster/installation.ts';
import type { App } from '../../tools/lanyard/service-processes.ts';

const settledMs = 300_000;

export class Scaled {
  installation: Installation;
  app: App;
  workload: string;

  constructor(installation: Installation, app: App) {
    this.installation = installation;
    this.app = app;
    this.workload = workloadOf(app);
  }

  clientOf(key: string) {
    return new Lanyard({ baseUrl: this.installation.baseUrl, key, retries: 10 });
  }

  get administrator() {
    return this.clientOf(this.installation.adminKey);
  }

  private run(...args: string[]) {
    return this.installation.kubectl.run(['-n', namespace, ...args]);
  }

  /** Removes all pods of these services, which would react to the load but are not measured. */
  async removePods(...apps: App[]) {
    for (const app of apps) await this.run('scale', `deployment/${app}`, '--replicas=0');
  }

  private async containers() {
    return (await this.pods()).map((pod) => new Container(this.installation.cluster.plan, pod));
  }

  /** @param millicores of CPU time that each pod may use from now on */
  async limit(millicores: number) {
    for (const container of await this.containers()) container.limitProcessors(millicores);
  }

  pods() {
    return this.installation.kubectl.list('pods', '-n', namespace, '-l', `app.kubernetes.io/name=${this.app}`);
  }

  async scaleTo(replicas: number) {
    await this.run('scale', this.workload, `--replicas=${replicas}`);
    await this.installation.rolledOut([this.workload]);
    await waitUntil(`${replicas} pods`, async () => (await this.pods()).length === replicas, { timeoutMs: settledMs });
  }

  /**
   * Returns a function that tells how often pods could not run since then because their CPU time was used up: the share
   * of the scheduling periods (0 to 1), by pod.
   */
  async throttling() {
    const before = (await this.containers()).map((container) => ({ container, at: container.throttling() }));
    return () =>
      before.map(({ container, at }) => {
        const now = container.throttling();
        return (now.throttled - at.throttled) / Math.max(1, now.periods - at.periods);
      });
  }
}
