/** Compares every connection that the kernel of a node has tracked with the connections that the NetworkPolicies allow. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { isAllowed, type Party, type Policy } from '../manifests/reach.ts';
import { infrastructurePorts } from './local-overlay.ts';
import { flowsIn, isOfPod, type Flow } from './flows.ts';
import { markdownTable } from '../lanyard/tables.ts';
import type { Cluster } from './cluster.ts';
import type { InfrastructureUrls } from '../lanyard/service-processes.ts';

/** Shorter than the kernel remembers a connection after its end, two minutes, or a datagram, 30 s. */
const periodMs = 15_000;

interface Known extends Party {
  name: string;
}

interface Seen {
  from: string;
  to: string;
  port: string;
  isAllowed: boolean;
}

const outsidePort = 'any';

export class Connections {
  cluster: Cluster;
  infrastructure: Record<string, number>;
  pods = new Map<string, Known>();
  seen = new Map<string, Seen>();
  timer: NodeJS.Timeout | undefined;

  constructor(cluster: Cluster, infrastructure: InfrastructureUrls) {
    this.cluster = cluster;
    this.infrastructure = infrastructurePorts(infrastructure);
  }

  start() {
    this.timer = setInterval(() => void this.observe().catch(() => undefined), periodMs);
    return this;
  }

  private async policies(): Promise<Policy[]> {
    const text = await this.cluster.kubectl.run(['get', 'networkpolicies', '-A', '-o', 'json']);
    return JSON.parse(text).items;
  }

  /** Addresses of pods that ended are kept, because their connections may still be tracked. */
  private async learnPods() {
    const text = await this.cluster.kubectl.run(['get', 'pods', '-A', '-o', 'json']);
    for (const { metadata, spec, status } of JSON.parse(text).items) {
      const { labels = {}, namespace } = metadata;
      const name = labels['app.kubernetes.io/name'] ?? labels['k8s-app'] ?? metadata.name;
      if (status.podIP && !spec.hostNetwork)
        this.pods.set(status.podIP, { name, namespace, labels, address: status.podIP });
    }
  }

  private nodeOf(address: string) {
    const { control, nodes } = this.cluster.plan;
    const ownOf = (pods = '') => pods.replace(/0\/24$/, '1');
    return [control, ...nodes].find((one) => one.address === address || ownOf(one.pods) === address);
  }

  private party(address: string): Known {
    const pod = this.pods.get(address);
    if (pod) return pod;
    return { name: this.nodeOf(address) ? 'its node' : 'outside', address };
  }

  /** The name of the party that a pod connects to at this port. */
  private name({ to, port }: Flow) {
    if (to !== this.cluster.plan.host) return this.party(to).name;
    const server = Object.entries(this.infrastructure).find(([, at]) => at === port);
    return server ? server[0] : 'outside';
  }

  private async tracked(node: Cluster['runningNodes'][number]) {
    const child = spawn('nsenter', node.enter(['conntrack', '-L']), { stdio: ['ignore', 'pipe', 'ignore'] });
    return flowsIn(await text(child.stdout));
  }

  private record(flow: Flow, policies: readonly Policy[]) {
    const [from, to] = [this.party(flow.from), this.party(flow.to)];
    const isOurs = [from, to].some(({ namespace }) => namespace === 'lanyard');
    // Probes of the kubelet come from the node, and no policy can keep a node from its pods.
    if (!isOurs || from.name === 'its node') return;
    const named = this.name(flow);
    const port = named === 'outside' ? outsidePort : `${flow.protocol} ${flow.port}`;
    const allowed = isAllowed(policies, { from, to, port: flow.port, protocol: flow.protocol });
    const key = [from.name, named, port].join(' ');
    const before = this.seen.get(key);
    this.seen.set(key, { from: from.name, to: named, port, isAllowed: allowed && before?.isAllowed !== false });
  }

  private async observe() {
    await this.learnPods();
    const policies = await this.policies();
    for (const node of this.cluster.runningNodes)
      for (const flow of await this.tracked(node)) if (this.isKnown(flow)) this.record(flow, policies);
  }

  /** A pod opens connections before the kubelet has reported its address: they are still tracked the next time. */
  private isKnown({ from, to }: Flow) {
    return [from, to].every((one) => !isOfPod(one) || this.pods.has(one) || this.nodeOf(one) !== undefined);
  }

  violations() {
    return [...this.seen.values()]
      .filter((one) => !one.isAllowed)
      .map(({ from, to, port }) => `no NetworkPolicy allows ${from} to reach ${to} at ${port}`);
  }

  table() {
    const server = (to: string, port: string) => (to in this.infrastructure ? 'its port' : port);
    const rows = [...this.seen.values()].map((one) => [
      one.from,
      one.to,
      server(one.to, one.port),
      one.isAllowed ? 'yes' : '**no**',
    ]);
    return markdownTable(
      ['From', 'To', 'Port', 'Allowed'],
      rows.toSorted((a, b) => a.join(' ').localeCompare(b.join(' '))),
    );
  }

  stop() {
    clearInterval(this.timer);
  }
}
