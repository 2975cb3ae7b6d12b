/** Installs Lanyard on the cluster: images, the dev overlay, the first key, and infrastructure outside of it, like a managed one. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { externalInfrastructure, startInfrastructure } from '../lanyard/infrastructure.ts';
import { removeData } from '../lanyard/infrastructure-processes.ts';
import { stopLeftOvers } from '../lanyard/left-overs.ts';
import { tcpPort } from '../lanyard/ports.ts';
import { splitAddress, waitUntil } from '../lanyard/probes.ts';
import { processOf, stopProcess } from '../lanyard/processes.ts';
import { outputOf } from '../lanyard/programs.ts';
import { say } from '../lanyard/project.ts';
import { apps, type Secrets } from '../lanyard/service-processes.ts';
import { secretsOf, StateFile } from '../lanyard/state.ts';
import { fetchFirstKey } from './first-key.ts';
import { certificateSecret, certificateSettings, localPatches, localPolicies } from './local-overlay.ts';
import { tagImage } from './node.ts';
import {
  namespace,
  nodePorts,
  packagesVolume,
  secretsOfServices,
  workloadOf,
  writeOverlay,
  type Settings,
} from './overlay.ts';
import { saveImages } from './service-images.ts';
import type { Cluster } from './cluster.ts';
import type { Kubectl } from './kubectl.ts';

const rolloutMs = 600_000;

export class Installation {
  cluster: Cluster;

  constructor(cluster: Cluster) {
    this.cluster = cluster;
  }

  get kubectl(): Kubectl {
    return this.cluster.kubectl;
  }

  private get infrastructureFolder() {
    return join(this.cluster.plan.folder, 'infrastructure');
  }

  get keyFile() {
    return join(this.cluster.plan.folder, 'admin.key');
  }

  get adminKey() {
    return existsSync(this.keyFile) ? readFileSync(this.keyFile, 'utf8').trim() : '';
  }

  /** One URL per node: each node accepts calls for every gateway. */
  get baseUrls() {
    return this.cluster.plan.nodes.map(({ address }) => `http://${address}:${nodePorts.http}`);
  }

  get baseUrl() {
    return this.baseUrls[0] ?? '';
  }

  get coapUrls() {
    return this.cluster.plan.nodes.map(({ address }) => `coap://${address}:${nodePorts.coap}`);
  }

  get coapsUrls() {
    return this.cluster.plan.nodes.map(({ address }) => `coaps://${address}:${nodePorts.coaps}`);
  }

  get coapsTcpUrls() {
    return this.cluster.plan.nodes.map(({ address }) => `coaps+tcp://${address}:${nodePorts.coaps}`);
  }

  /** @param given an archive of the images, instead of those that were built here */
  async loadImages(given?: string, tag = 'dev') {
    mkdirSync(this.cluster.folderOfImages, { recursive: true });
    const archive = join(this.cluster.folderOfImages, `lanyard-${tag}.tar`);
    if (given === undefined) await saveImages(archive, tag);
    else outputOf('cp', ['--reflink=auto', resolve(given), archive]);
    this.cluster.load(archive);
  }

  /** The same image under another name, on every node. */
  async tagImage(from: string, to: string) {
    for (const node of this.cluster.runningNodes) tagImage(node, from, to);
  }

  async startInfrastructure() {
    const { host } = this.cluster.plan;
    const dataDir = this.infrastructureFolder;
    const file = new StateFile(dataDir);
    const infrastructure = await startInfrastructure({
      dataDir,
      logs: join(dataDir, 'logs'),
      secrets: this.secrets,
      state: file.state,
      launchUnit: (unit, launch) => file.launch(unit, launch),
      leftOvers: file.state.units,
      infrastructure: externalInfrastructure(),
      freePorts: true,
      host,
    });
    file.state.units = infrastructure.units;
    file.save();
    return infrastructure;
  }

  /** Restarts a server, gracefully unless `signal` is given. Resolves when it answers again. */
  async restartServer(name: string, signal?: NodeJS.Signals) {
    const { units } = new StateFile(this.infrastructureFolder).state;
    const unit = units.find((one) => one.name === name);
    if (!unit) throw new Error(`no server ${name}`);
    await stopProcess(processOf(unit), { signal: signal ?? unit.stopSignal, waitMs: 30_000 });
    // The kernel closes the sockets of a killed process some time after its end, but pods know only this port.
    const [host, port] = splitAddress(unit.address, 0);
    await waitUntil(`port ${port}`, async () => (await tcpPort(port, host)) === port);
    await this.startInfrastructure();
  }

  async stopInfrastructure() {
    if (!existsSync(this.infrastructureFolder)) return;
    await stopLeftOvers(new StateFile(this.infrastructureFolder).state.units);
    removeData(this.infrastructureFolder);
  }

  /** Settings for applications and devices on this machine, which pods reach at the machine's end of the link. */
  private settings(more: Settings): Settings {
    const uris = [this.coapUrls[0], this.coapsUrls[0], this.coapsTcpUrls[0], this.baseUrl].join(',');
    return {
      ...more,
      dispatcher: [`DISPATCHER_CALLBACK_ALLOW_CIDRS=${this.cluster.plan.network}`, ...(more.dispatcher ?? [])],
      campaigns: [`CAMPAIGNS_PACKAGE_URIS=${uris}`, ...(more.campaigns ?? [])],
      'device-proxy': [...certificateSettings, ...(more['device-proxy'] ?? [])],
    };
  }

  get secrets() {
    return secretsOf(this.infrastructureFolder);
  }

  async infrastructureUrls() {
    return (await this.startInfrastructure()).urls;
  }

  /** Changes secrets for pods that start from now on: running pods have read the old values. */
  async changeSecrets(change: Partial<Secrets>) {
    const secrets = { ...this.secrets, ...change };
    writeFileSync(join(this.infrastructureFolder, 'secrets.json'), JSON.stringify(secrets, null, 2), { mode: 0o600 });
    await this.kubectl.apply(secretsOfServices(await this.infrastructureUrls(), secrets));
  }

  /** Creates a new key and certificate for the listeners of devices. Returns the certificate. */
  async changeCertificate(name?: string) {
    const { selfSigned } = await import('@lanyard/testing');
    const made = selfSigned('devices', { hosts: this.cluster.plan.nodes.map(({ address }) => address) });
    await this.kubectl.apply([certificateSecret(made, name)]);
    return made.certificate;
  }

  /** Applies the overlay and waits until everything runs. */
  async install(settings: Settings = {}, tag = 'dev') {
    const { kubectl } = this;
    const { plan } = this.cluster;
    const urls = await this.infrastructureUrls();
    const overlay = join(plan.folder, 'overlay');
    const images = (app: string) => ({ newName: `lanyard-${app}`, newTag: tag });
    const options = { infrastructure: urls, settings: this.settings(settings), images, more: localPatches(plan, urls) };
    writeOverlay(overlay, options, localPolicies(plan));
    await kubectl.apply([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      packagesVolume(join(plan.folder, 'packages')),
    ]);
    await kubectl.apply(secretsOfServices(urls, this.secrets));
    await this.changeCertificate();
    await kubectl.run(['apply', '-k', overlay]);
    say('the overlay is applied');
    await this.rolledOut();
    await this.fetchKey();
  }

  /** Further checks of this kind of installation, once everything runs. */
  async after() {}

  /** Removes Lanyard and its data; the cluster stays. */
  async uninstall() {
    const options = ['--ignore-not-found', '--timeout=300s'];
    for (const what of [`namespace/${namespace}`, 'persistentvolume/packages'])
      await this.kubectl.run(['delete', what, ...options], { timeoutMs: 310_000 });
    await this.stopInfrastructure();
    rmSync(this.keyFile, { force: true });
    rmSync(join(this.cluster.plan.folder, 'packages'), { recursive: true, force: true });
    say('Lanyard and its data are gone');
  }

  /** Deployments and the StatefulSet of the services. */
  get workloads() {
    return apps.map(workloadOf);
  }

  async rolledOut(workloads: readonly string[] = this.workloads) {
    await Promise.all(workloads.map((one) => this.kubectl.rolledOut(namespace, one, rolloutMs)));
    say(workloads.length === 1 ? `${workloads[0]} is ready` : `${workloads.length} services are ready`);
  }

  async fetchKey() {
    if (this.adminKey === '') await fetchFirstKey(this.kubectl, this.keyFile);
  }

  report() {
    return [
      `  Base URL     ${this.baseUrl}`,
      `  Devices      ${this.coapsUrls[0]}/udp  (DTLS 1.2, pre-shared keys)`,
      `               ${this.coapsTcpUrls[0]}  (TLS 1.2, pre-shared keys)`,
      `               ${this.coapUrls[0]}  (no security: development only)`,
      `  Key file     ${this.keyFile}`,
    ];
  }
}
