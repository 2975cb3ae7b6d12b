/** CoreDNS, metrics-server and KEDA as pods, from the manifests in their modules. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { say } from '../lanyard/project.ts';
import { dnsService } from './plan.ts';
import { moduleFolder, programPath, sources, type SourceName } from './programs.ts';
import type { ProgramImage } from './archive.ts';
import type { Kubectl } from './kubectl.ts';

export type Addon = Exclude<SourceName, 'kubernetes'>;

const unprivileged = '65532:65532';

const imageOf = (addon: Addon, name: string) => `localhost/lanyard/${name}:${sources[addon].version}`;

/** Images of all programs of these add-ons. */
export const addonImages = (addons: readonly Addon[]): ProgramImage[] =>
  addons.flatMap((addon) =>
    Object.keys(sources[addon].programs).map((name) => ({
      name: imageOf(addon, name),
      program: programPath(name),
      // CoreDNS needs root to bind port 53.
      ...(addon !== 'coredns' && { user: unprivileged }),
    })),
  );

interface Container {
  name: string;
  image: string;
  imagePullPolicy?: string;
  command?: string[];
  args?: string[];
}

export interface Manifest {
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  spec?: { template?: { spec: { containers: Container[] } }; [name: string]: unknown };
}

const documentsOf = (yaml: string): Manifest[] =>
  parseAllDocuments(yaml, { version: '1.1' })
    .map((document) => document.toJS())
    .filter(Boolean);

/** The image of ours that replaces a container's image. */
const programOf: Record<string, string> = {
  coredns: 'coredns',
  'metrics-server': 'metrics-server',
  'keda-operator': 'keda-operator',
  'keda-metrics-apiserver': 'keda-adapter',
};

/** The image contains only the program, so the container needs no command. */
const withImage = (addon: Addon, { command: _, args = [], ...container }: Container): Container => ({
  ...container,
  image: imageOf(addon, programOf[container.name] ?? container.name),
  imagePullPolicy: 'IfNotPresent',
  args: args[0]?.startsWith('/') ? args.slice(1) : args,
});

export const withImages = (addon: Addon, manifest: Manifest): Manifest => {
  const pod = manifest.spec?.template?.spec;
  if (!pod) return manifest;
  const containers = pod.containers.map((container) => withImage(addon, container));
  return {
    ...manifest,
    spec: { ...manifest.spec, template: { ...manifest.spec?.template, spec: { ...pod, containers } } },
  };
};

const dnsSettings: Record<string, string> = {
  __DNS__DOMAIN__: 'cluster.local',
  __DNS__MEMORY__LIMIT__: '170Mi',
  __DNS__SERVER__: dnsService,
};

export const dnsReplicas = 2;

/** @param template the manifest of Kubernetes itself, with its settings left open */
export const coreDnsManifests = (template: string): Manifest[] => {
  const yaml = Object.entries(dnsSettings).reduce((text, [name, value]) => text.replaceAll(name, value), template);
  // The cluster has no DNS server for other names.
  const alone = yaml.replace(/^ {8}forward [^]*?^ {8}\}\n/m, '').replace(/^ {8}loop\n/m, '');
  // The manifest leaves the number of replicas open. With a single one, names would be unavailable while its node is lost.
  return documentsOf(alone).map((manifest) =>
    manifest.kind === 'Deployment' ? { ...manifest, spec: { ...manifest.spec, replicas: dnsReplicas } } : manifest,
  );
};

const manifestsOf = async (addon: Addon, kubectl: Kubectl): Promise<Manifest[]> => {
  const folder = moduleFolder(sources[addon === 'coredns' ? 'kubernetes' : addon]);
  if (addon === 'coredns')
    return coreDnsManifests(readFileSync(join(folder, 'cluster/addons/dns/coredns/coredns.yaml.base'), 'utf8'));
  const built = join(folder, addon === 'keda' ? 'config/minimal' : 'manifests/base');
  const manifests = documentsOf(await kubectl.run(['kustomize', built]));
  if (addon !== 'metrics-server') return manifests;
  // Certificates of kubelets name their node, not its address; the authority of the cluster has signed them.
  return manifests.map((manifest) => {
    for (const container of manifest.spec?.template?.spec.containers ?? [])
      container.args = [...(container.args ?? []), '--kubelet-insecure-tls'];
    return manifest;
  });
};

/** Namespaces and names of the deployments that the start of an add-on waits for. */
const deployments: Record<Addon, { namespace: string; names: string[] }> = {
  coredns: { namespace: 'kube-system', names: ['coredns'] },
  'metrics-server': { namespace: 'kube-system', names: ['metrics-server'] },
  keda: { namespace: 'keda', names: ['keda-operator', 'keda-metrics-apiserver'] },
};

/** Namespaces and custom resource definitions come before the objects that need them. */
const rank = ({ kind }: Manifest) => (kind === 'Namespace' ? 0 : kind === 'CustomResourceDefinition' ? 1 : 2);

export const installAddon = async (addon: Addon, kubectl: Kubectl) => {
  const manifests = (await manifestsOf(addon, kubectl)).map((manifest) => withImages(addon, manifest));
  await kubectl.apply(manifests.toSorted((a, b) => rank(a) - rank(b)));
  const { namespace, names } = deployments[addon];
  for (const name of names) await kubectl.rolledOut(namespace, `deployment/${name}`, 240_000);
  say(`${addon} is ready`);
};
