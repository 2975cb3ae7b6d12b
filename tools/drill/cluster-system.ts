/** Lanyard on the local cluster, as a rehearsal sees and disturbs it. */
import { KafkaConnection } from '@lanyard/kafka';
import { createLogger } from '@lanyard/service';
import { namespace } from '../cluster/overlay.ts';
import { waitUntil } from '../lanyard/probes.ts';
import { apps, type App } from '../lanyard/service-processes.ts';
import { drillSettings } from './system.ts';
import type { KubernetesObject } from '../cluster/kubectl.ts';
import type { Installation } from '../cluster/installation.ts';
import type { RehearsedSystem } from './rehearsed-system.ts';

/** Devices and callers come in at these nodes, as a balancer would send them; another one may go. */
const entranceNodes = 2;

const rolloutMs = 600_000;

interface ContainerStatus {
  restartCount: number;
}

const restartsOf = ({ status }: KubernetesObject) =>
  ((status?.['containerStatuses'] ?? []) as ContainerStatus[]).reduce((sum, { restartCount }) => sum + restartCount, 0);

/** The environment of a drill, by service. */
const settings = () => {
  const of = (prefix: string) =>
    Object.entries(drillSettings).flatMap(([name, value]) => (name.startsWith(prefix) ? [`${name}=${value}`] : []));
  return { gateway: of('GATEWAY_'), campaigns: of('CAMPAIGNS_') };
};

const kindOf = (app: App) => (app === 'device-proxy' ? 'statefulset' : 'deployment');

export class ClusterSystem implements RehearsedSystem {
  installation: Installation;
  /** By name of pod. */
  restarts = new Map<string, number>();
  brokers = '';

  constructor(installation: Installation) {
    this.installation = installation;
  }

  /** Lanyard from scratch with the drill's settings, and two replicas of what may have two. */
  async prepare() {
    await this.installation.uninstall();
    await this.installation.install(settings());
    for (const app of apps) if (app !== 'campaigns') this.scale(app, 2);
    await this.installation.rolledOut();
    this.brokers = (await this.installation.startEngines()).urls.brokers;
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

  /** The kubelet starts again what ended: these did since the last time. */
  async revive() {
    const ended = this.pods().filter((pod) => restartsOf(pod) > (this.restarts.get(pod.metadata.name) ?? 0));
    for (const pod of ended) this.restarts.set(pod.metadata.name, restartsOf(pod));
    return ended.map(({ metadata }) => metadata.name);
  }

  /** What was put into the topics of dead letters. */
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

  scale(app: App, replicas: number) {
    this.kubectl.run(['-n', namespace, 'scale', `${kindOf(app)}/${app}`, `--replicas=${replicas}`]);
  }

  async scaled(app: App, replicas: number) {
    this.scale(app, replicas);
    await this.rolledOut(app);
    const isSettled = async () => this.pods(app).length === replicas;
    await waitUntil(`${replicas} pods of ${app}`, isSettled, { timeoutMs: rolloutMs });
  }

  rolledOut(...of: App[]) {
    return this.installation.rolledOut(of.length === 0 ? undefined : of.map((app) => `${kindOf(app)}/${app}`));
  }

  async restartAll() {
    this.kubectl.run(['-n', namespace, 'rollout', 'restart', 'deployment,statefulset']);
    await this.rolledOut();
  }

  /** Without a word to the process, as a kernel would that is out of memory. */
  async killPod(app: App) {
    const [pod] = this.pods(app);
    if (!pod) throw new Error(`no pod of ${app}`);
    this.kubectl.run(['-n', namespace, 'delete', 'pod', pod.metadata.name, '--grace-period=0', '--force']);
    await this.rolledOut(app);
    return `${pod.metadata.name} on ${pod.spec?.['nodeName']}`;
  }
}
