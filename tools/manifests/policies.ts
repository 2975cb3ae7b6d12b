/** Rules for each of our manifests, beyond validity: nothing runs as root, everything has limits, probes and a budget. */

import type { IContainer } from 'kubernetes-models/v1/Container';
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';
import type { ILabelSelector } from '@kubernetes-models/apimachinery/apis/meta/v1/LabelSelector';
import type { Manifest } from './kustomize.ts';

interface Workload {
  id: string;
  kind: string;
  name: string;
  namespace?: string;
  labels: Record<string, string>;
  pod: IPodSpec;
  replicas?: number;
}

const workloadKinds = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'Job']);

export const workloadsOf = (manifests: Manifest[]): Workload[] =>
  manifests.flatMap((manifest) => {
    const { kind, metadata } = manifest;
    if (!workloadKinds.has(kind)) return [];
    const { name, namespace } = metadata;
    const { template, replicas } = (manifest as any).spec;
    const labels = template.metadata?.labels ?? {};
    return [{ id: `${kind} ${name}`, kind, name, namespace, labels, pod: template.spec, replicas }];
  });

export const selects = (
  { matchLabels = {}, matchExpressions = [] }: ILabelSelector | undefined = {},
  labels: Record<string, string>,
) =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every(({ key, operator, values = [] }) => {
    const value = labels[key];
    if (operator === 'In') return value !== undefined && values.includes(value);
    throw new Error(`the operator ${operator} is not supported by this check`);
  });

const containerProblems = (
  { image = '', resources, securityContext = {}, ...container }: IContainer,
  runsToItsEnd = false,
): string[] => {
  const { capabilities = {} } = securityContext;
  const [, tag] = /[:@]([^/]+)$/.exec(image) ?? [];
  const rules: [boolean, string][] = [
    [securityContext.allowPrivilegeEscalation === false, 'may escalate its privileges'],
    [securityContext.privileged !== true, 'is privileged'],
    [securityContext.readOnlyRootFilesystem === true, 'can write to its root file system'],
    [capabilities.drop?.includes('ALL') === true && capabilities.add === undefined, 'has capabilities'],
    [tag !== undefined && tag !== 'latest', `has an image that is not pinned (${image})`],
    [resources?.requests?.cpu !== undefined, 'requests no processor'],
    [resources?.limits?.cpu !== undefined, 'has no limit of processors'],
    [resources?.requests?.memory !== undefined, 'requests no memory'],
    [resources?.limits?.memory !== undefined, 'has no memory limit'],
    [runsToItsEnd || container.startupProbe !== undefined, 'has no startup probe'],
    [runsToItsEnd || container.livenessProbe !== undefined, 'has no liveness probe'],
    [runsToItsEnd || container.readinessProbe !== undefined, 'has no readiness probe'],
    [
      container.livenessProbe?.httpGet?.path !== '/readyz',
      'is killed when its infrastructure is down (liveness on /readyz)',
    ],
  ];
  return rules.flatMap(([holds, problem]) => (holds ? [] : [`container ${container.name} ${problem}`]));
};

const podProblems = (pod: IPodSpec, runsToItsEnd = false): string[] => {
  const preStopSeconds = Math.max(0, ...pod.containers.map((c) => c.lifecycle?.preStop?.sleep?.seconds ?? 0));
  const rules: [boolean, string][] = [
    [pod.securityContext?.runAsNonRoot === true && pod.securityContext.runAsUser !== 0, 'runs as root'],
    [pod.securityContext?.seccompProfile?.type === 'RuntimeDefault', 'has no seccomp profile'],
    [pod.automountServiceAccountToken === false, 'gets a token of the Kubernetes API'],
    [!pod.hostNetwork && !pod.hostPID && !pod.hostIPC, 'shares a namespace with its node'],
    [!pod.volumes?.some((volume) => volume.hostPath), 'mounts a folder of its node'],
    [(pod.terminationGracePeriodSeconds ?? 30) >= preStopSeconds + 30, 'has less than 30 s to stop after preStop'],
  ];
  return [
    ...rules.flatMap(([holds, problem]) => (holds ? [] : [problem])),
    ...[...pod.containers, ...(pod.initContainers ?? [])].flatMap((container) =>
      containerProblems(container, runsToItsEnd),
    ),
  ];
};

/** Problems of single workloads. */
export const workloadProblems = (manifests: Manifest[]): string[] =>
  workloadsOf(manifests).flatMap(({ id, kind, pod }) =>
    podProblems(pod, kind === 'Job').map((problem) => `${id}: ${problem}`),
  );

/** A route must belong to an existing listener of a Gateway, and lead to a port of a Service. */
const routeProblems = ({ kind, metadata, spec }: Manifest, manifests: Manifest[]): string[] => {
  const { parentRefs, rules } = spec as {
    parentRefs: { name: string; sectionName: string }[];
    rules: { backendRefs: { name: string; port: number }[] }[];
  };
  const find = (wanted: string, name: string): any =>
    manifests.find((m) => m.kind === wanted && m.metadata.name === name);
  const parents = parentRefs
    .filter(({ name, sectionName }) => !find('Gateway', name)?.spec.listeners.some((l: any) => l.name === sectionName))
    .map(({ name, sectionName }) => `there is no listener ${sectionName} of a Gateway ${name}`);
  const backends = rules
    .flatMap(({ backendRefs }) => backendRefs)
    .filter(({ name, port }) => !find('Service', name)?.spec.ports.some((p: any) => p.port === port))
    .map(({ name, port }) => `there is no port ${port} of a Service ${name}`);
  return [...parents, ...backends].map((problem) => `${kind} ${metadata.name}: ${problem}`);
};

/** Services, routes, ingresses, autoscalers, budgets and policies that refer to nothing. */
export const referenceProblems = (manifests: Manifest[]): string[] => {
  const workloads = workloadsOf(manifests);
  const selected = ({ metadata }: Manifest, selector: ILabelSelector) =>
    workloads.filter((w) => w.namespace === metadata.namespace && selects(selector, w.labels));
  const services = manifests.filter((m) => m.kind === 'Service').map((m) => m.metadata.name);
  const accounts = manifests.filter((m) => m.kind === 'ServiceAccount').map((m) => m.metadata.name);
  const unknownAccounts = workloads
    .filter(({ pod: { serviceAccountName: name } }) => name !== undefined && !accounts.includes(name))
    .map(({ id, pod }) => `${id}: there is no ServiceAccount ${pod.serviceAccountName}`);
  const pointless = manifests.flatMap((manifest) => {
    const id = `${manifest.kind} ${manifest.metadata.name}`;
    const spec = (manifest as any).spec;
    if (manifest.kind === 'Service') {
      const pods = selected(manifest, { matchLabels: spec.selector });
      if (pods.length === 0) return [`${id}: selects no pod`];
      const ports = pods.flatMap(({ pod }) => pod.containers.flatMap((c) => (c.ports ?? []).map((p) => p.name)));
      return spec.ports
        .filter((p: any) => !ports.includes(p.targetPort))
        .map((p: any) => `${id}: no container has a port ${p.targetPort}`);
    }
    if (manifest.kind === 'NetworkPolicy' || manifest.kind === 'PodDisruptionBudget')
      return selected(manifest, spec.podSelector ?? spec.selector).length === 0 ? [`${id}: selects no pod`] : [];
    if (/^(HTTP|TLS|UDP)Route$/.test(manifest.kind)) return routeProblems(manifest, manifests);
    if (manifest.kind === 'Ingress')
      return spec.rules
        .flatMap((rule: any) => rule.http.paths)
        .map((path: any) => path.backend.service.name)
        .filter((name: string) => !services.includes(name))
        .map((name: string) => `${id}: there is no Service ${name}`);
    if (manifest.kind === 'HorizontalPodAutoscaler' || manifest.kind === 'ScaledObject') {
      const target = workloads.find((w) => w.name === spec.scaleTargetRef.name);
      if (!target) return [`${id}: there is no ${spec.scaleTargetRef.name}`];
      return target.replicas === undefined
        ? []
        : [`${id}: its target sets replicas itself, so an upgrade sets them back`];
    }
    return [];
  });
  return [...unknownAccounts, ...pointless];
};

/** All datagrams of a device must reach the same replica, because the state for an address exists in one listener only. */
export const datagramProblems = (manifests: Manifest[]): string[] =>
  manifests.flatMap((manifest) => {
    if (manifest.kind !== 'Service') return [];
    const { externalTrafficPolicy, ports, sessionAffinity, type } = (manifest as any).spec;
    if (!ports.some(({ protocol }: any) => protocol === 'UDP') || !['LoadBalancer', 'NodePort'].includes(type))
      return [];
    return [
      ...(sessionAffinity === 'ClientIP' ? [] : [`Service ${manifest.metadata.name}: no affinity of clients`]),
      ...(externalTrafficPolicy === 'Local'
        ? []
        : [`Service ${manifest.metadata.name}: hides the addresses of devices`]),
    ];
  });

/** @returns image by app */
const imagesOf = (manifests: Manifest[]): Map<string, string> =>
  new Map(
    workloadsOf(manifests).flatMap(({ pod }) =>
      pod.containers.flatMap(({ args = [], image }) => {
        const app = args
          .map((arg) => /^apps\/([^/]+)\/bundle\/main\.js$/.exec(arg)?.[1])
          .find((name) => name !== undefined);
        return app === undefined ? [] : ([[app, image]] as [string, string][]);
      }),
    ),
  );

/** Each service has a Job that migrates its schema, with the same image. */
export const migrationProblems = (services: Manifest[], jobs: Manifest[]): string[] => {
  const theirs = imagesOf(jobs);
  return [...imagesOf(services)].flatMap(([app, image]) =>
    theirs.get(app) === image ? [] : [`${app} runs ${image}, and its migrations ${theirs.get(app) ?? 'nowhere'}`],
  );
};

const isSpreadOverNodes = ({
  topologySpreadConstraints: all = [],
}: {
  topologySpreadConstraints?: { topologyKey: string }[];
}) => all.length > 0 && all.every(({ topologyKey }) => topologyKey === 'kubernetes.io/hostname');

/** Every workload has a budget and a spread, and its namespace denies what is not allowed explicitly. */
export const coverageProblems = (manifests: Manifest[]): string[] => {
  const budgets = manifests.filter((m) => m.kind === 'PodDisruptionBudget');
  const denials = manifests.filter((m) => {
    const spec = (m as any).spec;
    return m.kind === 'NetworkPolicy' && Object.keys(spec.podSelector).length === 0 && spec.policyTypes.length === 2;
  });
  return workloadsOf(manifests).flatMap(({ id, labels, namespace, pod }) => [
    ...(budgets.some((b) => selects((b as any).spec.selector, labels)) ? [] : [`${id}: no disruption budget`]),
    // A node without the label of any one constraint is ignored by all constraints, and operators' own machines often have no zones.
    ...(isSpreadOverNodes(pod) ? [] : [`${id}: is not spread over nodes`]),
    ...(denials.some((d) => d.metadata.namespace === namespace) ? [] : [`${id}: its namespace has no default deny`]),
  ]);
};
