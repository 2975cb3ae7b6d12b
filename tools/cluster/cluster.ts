/** The local cluster as a whole: started, found again, ended. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from '../lanyard/probes.ts';
import { say, Stop } from '../lanyard/project.ts';
import { addonImages, installAddon, type Addon } from './addons.ts';
import { writeProgramImages } from './archive.ts';
import { writeCertificates } from './certificates.ts';
import { removeCgroups } from './cgroups.ts';
import { startControlPlane } from './control-plane.ts';
import { Kubectl } from './kubectl.ts';
import { connectHost, connectNode, disconnectHost, hasLink, Namespace } from './namespaces.ts';
import { importImages, pauseImage, startNode } from './node.ts';
import { planOf, type Plan } from './plan.ts';
import { buildPause } from './programs.ts';

/** `network`: its first three numbers; `members`: name to the pid by which its namespace is found */
interface State {
  nodes: number;
  network: string;
  members: Record<string, number>;
}

const readyWithinMs = 240_000;

export class Cluster {
  plan: Plan;
  kubectl: Kubectl;
  members = new Map<string, Namespace>();
  /** Images that every node gets, also a node that comes back. */
  archives: string[] = [];

  constructor(plan: Plan) {
    this.plan = plan;
    this.kubectl = Kubectl.ofLocal(plan);
  }

  private static stateFile(folder: string) {
    return join(folder, 'state.json');
  }

  /** A cluster that was started before, whether or not it still runs. */
  static found(folder: string = planOf(0).folder): Cluster | undefined {
    const path = Cluster.stateFile(folder);
    if (!existsSync(path)) return undefined;
    const { nodes, network, members }: State = JSON.parse(readFileSync(path, 'utf8'));
    const cluster = new Cluster(planOf(nodes, { folder, network }));
    for (const member of [cluster.plan.control, ...cluster.plan.nodes]) {
      const pid = members[member.name];
      if (pid !== undefined) cluster.members.set(member.name, new Namespace(member, pid));
    }
    cluster.archives = cluster.knownArchives();
    return cluster;
  }

  get isRunning() {
    return this.members.get(this.plan.control.name)?.isAlive === true;
  }

  get folderOfImages() {
    return join(this.plan.folder, 'images');
  }

  private knownArchives() {
    const { folderOfImages: folder } = this;
    const loaded = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('lanyard-')) : [];
    return ['pause.tar', 'addons.tar', ...loaded].map((name) => join(folder, name)).filter((path) => existsSync(path));
  }

  private save() {
    const members = Object.fromEntries([...this.members].map(([name, { pid }]) => [name, pid]));
    const { nodes, network } = this.plan;
    const state: State = { nodes: nodes.length, network: network.replace(/\.0\/24$/, ''), members };
    writeFileSync(Cluster.stateFile(this.plan.folder), JSON.stringify(state, null, 2));
  }

  private async startMember(member: Plan['control']) {
    const namespace = await Namespace.start(member);
    this.members.set(member.name, namespace);
    this.save();
    return namespace;
  }

  /** Starts the cluster and waits until its nodes are ready. A start that fails leaves nothing behind. */
  async start(addons: readonly Addon[]) {
    const { plan } = this;
    if (hasLink(plan))
      throw new Stop(
        `A cluster of another folder uses ${plan.network}: set LANYARD_CLUSTER_NETWORK, for example 10.78.0.`,
      );
    mkdirSync(this.folderOfImages, { recursive: true });
    try {
      await this.startAll(addons);
    } catch (error) {
      await this.stop({ keepsLogs: true });
      throw error;
    }
  }

  private async startAll(addons: readonly Addon[]) {
    const { plan, kubectl } = this;
    const pause = join(this.folderOfImages, 'pause.tar');
    writeProgramImages(pause, [{ name: pauseImage, program: await buildPause(), user: '65532:65532' }]);
    await writeCertificates(plan);
    const control = await this.startMember(plan.control);
    connectHost(plan, control);
    say('starting the control plane');
    await startControlPlane(plan, control, kubectl);
    const images = join(this.folderOfImages, 'addons.tar');
    if (addons.length > 0) writeProgramImages(images, addonImages(addons));
    this.archives = this.knownArchives();
    for (const { name } of plan.nodes) {
      await this.startNode(name);
      say(`${name} is starting`);
    }
    await this.nodesReady();
    for (const addon of addons) await installAddon(addon, kubectl);
  }

  /** Starts a new node, or one that was stopped. */
  async startNode(name: string) {
    const { plan } = this;
    const member = plan.nodes.find((one) => one.name === name);
    const control = this.members.get(plan.control.name);
    const [pause = '', ...others] = this.archives;
    if (!member || !control) throw new Error(`no node ${name}`);
    const node = await this.startMember(member);
    connectNode(plan, control, node);
    await startNode(plan, node, pause);
    for (const archive of others) importImages(node, archive);
  }

  /** Stops a node as if its machine lost power. */
  async stopNode(name: string) {
    await this.members.get(name)?.stop();
    this.members.delete(name);
    this.save();
  }

  /** Names of nodes that report that they are ready. */
  async readyNodes() {
    return (await this.kubectl.list('nodes')).flatMap(({ metadata, status }) => {
      const conditions = (status?.['conditions'] ?? []) as { type: string; status: string }[];
      return conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True') ? [metadata.name] : [];
    });
  }

  async nodesReady() {
    const wanted = this.plan.nodes.length;
    await waitUntil(`${wanted} nodes`, async () => (await this.readyNodes()).length === wanted, {
      timeoutMs: readyWithinMs,
      hint: `See ${this.plan.folder}/node1/logs`,
    });
    say(`${wanted} nodes are ready`);
  }

  get runningNodes() {
    return this.plan.nodes.flatMap(({ name }) => this.members.get(name) ?? []);
  }

  /** @param archive an archive that this cluster keeps */
  load(archive: string) {
    for (const node of this.runningNodes) {
      importImages(node, archive);
      say(`${node.member.name} has the images`);
    }
    this.archives = this.knownArchives();
  }

  async stop({ keepsLogs = false } = {}) {
    // Nodes are stopped first, while the control plane to which they write still runs.
    for (const { name } of [...this.plan.nodes, this.plan.control]) await this.members.get(name)?.stop();
    this.members.clear();
    disconnectHost(this.plan);
    removeCgroups(this.plan);
    if (keepsLogs) rmSync(Cluster.stateFile(this.plan.folder), { force: true });
    else rmSync(this.plan.folder, { recursive: true, force: true });
  }
}
