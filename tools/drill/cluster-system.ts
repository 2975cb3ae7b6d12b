/** Lanyard on the local cluster, as a rehearsal observes and disturbs it. */
import { KafkaConnection } from '@lanyard/kafka';
import { createLogger } from '@lanyard/service';
import { Container, endOf, restartsOf } from '../cluster/containers.ts';
import { namespace, workloadOf } from '../cluster/overlay.ts';
import { imageOf } from '../cluster/service-images.ts';
import { waitUntil } from '../lanyard/probes.ts';
import { sleep } from '../lanyard/project.ts';
import { apps, type App } from '../lanyard/service-processes.ts';
import { drillSettings } from './system.ts';
import type { KubernetesObject } from '../cluster/kubectl.ts';
import type { Installation } from '../cluster/installation.ts';
import type { RehearsedSystem } from './rehearsed-system.ts';

/** Devices and callers connect to these nodes, as through a load balancer; another node may disappear. */
const entranceNodes = 2;

const rolloutMs = 600_000;

const settings = () => {
  const of = (prefix: string) =>
    Object.entries(drillSettings).flatMap(([name, value]) => (name.startsWith(prefix) ? [`${name}=${value}`] : []));
  return { gateway: of('GATEWAY_'), campaigns: of('CAMPAIGNS_') };
};

export class ClusterSystem implements RehearsedSystem {
  installation: Installation;
  /** Counts of restarts, by name of the pod. */
  restarts = new Map<string, number>();
  brokers = '';

  constructor(installation: Installation) {
    this.installation = installation;
  }

  /**
   * Lanyard from scratch with the drill's settings, and two replicas of everything.
   * @param tag of the images
   */
  async prepare(tag: string) {
    await this.installation.uninstall();
    await this.installation.install(settings(), tag);
    for (const app of apps) await this.scale(app, 2);
    await this.installation.rolledOut();
    this.brokers = (await this.installation.startInfrastructure()).urls.brokers;
    await this.revive();
    return this;
  }

  get kubectl() {
    return this.installation.kubectl;
  }

  get baseUrls() {
    return this.installation.baseUrls.slice(0, entranceNodes);
  }

  get baseUrl() {
    return this.installation.baseUrl;
  }

  get coapUrls() {
    return this.installation.coapUrls.slice(0, entranceNodes);
  }

  get adminKey() {
    return this.installation.adminKey;
  }

  get callbackHost() {
    return this.installation.cluster.plan.host;
  }

  pods(app?: App) {
    const of = app === undefined ? [] : ['-l', `app.kubernetes.io/name=${app}`];
    return this.kubectl.list('pods', '-n', namespace, ...of);
  }

  /** Names of pods that ended since the last call; the kubelet restarts them by itself. */
  async revive() {
    const ended = (await this.pods()).filter((pod) => restartsOf(pod) > (this.restarts.get(pod.metadata.name) ?? 0));
    for (const pod of ended) this.restarts.set(pod.metadata.name, restartsOf(pod));
    return ended.map(({ metadata }) => metadata.name);
  }

  /** The messages in the dead-letter topics. */
  async deadLetters() {
    const logger = createLogger({ app: 'drill', replicaId: 'drill', level: 'silent' });
    const { kafka } = new KafkaConnection({ brokers: this.brokers.split(','), clientId: 'drill', logger });
    const admin = kafka.admin();
    await admin.connect();
    try {
      const topics = (await admin.listTopics()).filter((name) => name.endsWith('.dlq'));
      const counts = await Promise.all(
        topics.map(async (topic) => {
          const offsets = await admin.fetchTopicOffsets(topic);
          return { topic, count: offsets.reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0) };
        }),
      );
      return counts.flatMap(({ topic, count }) => (count > 0 ? [`${topic}: ${count}`] : []));
    } finally {
      await admin.disconnect();
    }
  }

  async scale(app: App, replicas: number) {
    await this.kubectl.run(['-n', namespace, 'scale', workloadOf(app), `--replicas=${replicas}`]);
  }

  async scaled(app: App, replicas: number) {
    await this.scale(app, replicas);
    await this.rolledOut(app);
    const isSettled = async () => (await this.pods(app)).length === replicas;
    await waitUntil(`${replicas} pods of ${app}`, isSettled, { timeoutMs: rolloutMs });
  }

  rolledOut(...of: App[]) {
    return this.installation.rolledOut(of.length === 0 ? undefined : of.map(workloadOf));
  }

  async restartAll() {
    await this.kubectl.run(['-n', namespace, 'rollout', 'restart', 'deployment,statefulset']);
    await this.rolledOut();
  }

  async restart(...of: App[]) {
    await this.kubectl.run(['-n', namespace, 'rollout', 'restart', ...of.map(workloadOf)]);
    await this.rolledOut(...of);
  }

  /** Gives several services another image at the same time. */
  async setImages(of: readonly App[], tag: string) {
    for (const app of of)
      await this.kubectl.run(['-n', namespace, 'set', 'image', workloadOf(app), `${app}=${imageOf(app, tag)}`]);
    await this.rolledOut(...of);
  }

  /** Reverts the last change of each of these services. */
  async undo(of: readonly App[]) {
    for (const app of of) await this.kubectl.run(['-n', namespace, 'rollout', 'undo', workloadOf(app)]);
    await this.rolledOut(...of);
  }

  private async podOf(app: App) {
    const [pod] = await this.pods(app);
    if (!pod) throw new Error(`no pod of ${app}`);
    return pod;
  }

  private containerOf(pod: KubernetesObject) {
    return new Container(this.installation.cluster.plan, pod);
  }

  /** Kills a pod without notice, as when its node fails. */
  async killPod(app: App) {
    const { metadata, spec } = await this.podOf(app);
    await this.kubectl.run(['-n', namespace, 'delete', 'pod', metadata.name, '--grace-period=0', '--force']);
    await this.rolledOut(app);
    return `${metadata.name} on ${spec?.['nodeName']}`;
  }

  /** Makes the kernel kill the pod because it is out of memory. */
  async exhaustMemory(app: App) {
    const pod = await this.podOf(app);
    const { name } = pod.metadata;
    const now = async () => (await this.pods(app)).find(({ metadata }) => metadata.name === name) ?? pod;
    const before = restartsOf(pod);
    this.containerOf(pod).takeMemory();
    const take = 'const all = []; for (;;) all.push(Buffer.alloc(1e6, 1))';
    const exec = ['-n', namespace, 'exec', name, '--', 'node', '-e', take];
    const isKilled = async () => {
      await this.kubectl.run(exec).catch(() => undefined);
      return restartsOf(await now()) > before;
    };
    await waitUntil(`${name} to run out of memory`, isKilled, { timeoutMs: 120_000 });
    await this.rolledOut(app);
    // This restart is expected, so it is counted already.
    this.restarts.set(name, restartsOf(await now()));
    return `${name}: ${endOf(await now())}`;
  }

  /** Suspends the pod's processes with their connections open, and continues them. */
  async freeze(app: App, ms: number) {
    const pod = await this.podOf(app);
    const container = this.containerOf(pod);
    container.signal('SIGSTOP');
    try {
      await sleep(ms);
    } finally {
      container.signal('SIGCONT');
    }
    await this.rolledOut(app);
    return pod.metadata.name;
  }

  /** Suspends the pod's processes until the kubelet replaces the container. */
  async freezeForGood(app: App) {
    const pod = await this.podOf(app);
    const { name } = pod.metadata;
    const started = Date.now();
    this.containerOf(pod).signal('SIGSTOP');
    const now = async () => (await this.pods(app)).find(({ metadata }) => metadata.name === name) ?? pod;
    const isReplaced = async () => restartsOf(await now()) > restartsOf(pod);
    await waitUntil(`${name} to be started again`, isReplaced, { timeoutMs: 300_000 });
    this.restarts.set(name, restartsOf(await now()));
    const replacedAfter = ((Date.now() - started) / 1_000).toFixed(0);
    await this.rolledOut(app);
    return `${name}: started again by its liveness probe after ${replacedAfter} s`;
  }
}
