/** Argo CD applies an object only when those of earlier waves are healthy: an object that needs a later one would wait forever. */
import type { Manifest } from './kustomize.ts';

const waveOf = ({ metadata }: Manifest) => Number(metadata.annotations?.['argocd.argoproj.io/sync-wave'] ?? 0);

const referenceKeys: Record<string, string> = {
  configMapRef: 'ConfigMap',
  configMapKeyRef: 'ConfigMap',
  configMap: 'ConfigMap',
  authenticationRef: 'TriggerAuthentication',
  scaleTargetRef: '',
};

/** Kind (empty: any workload) and name of the objects that an object refers to. */
const referencesIn = (node: unknown): [kind: string, name: string][] => {
  if (node === null || typeof node !== 'object') return [];
  return Object.entries(node).flatMap(([key, value]): [string, string][] => {
    if (key === 'serviceAccountName') return [['ServiceAccount', value]];
    if (key === 'claimName') return [['PersistentVolumeClaim', value]];
    if (key === 'backendRefs') return value.map(({ name }: { name: string }) => ['Service', name]);
    const kind = referenceKeys[key];
    return [
      ...(kind === undefined || value?.name === undefined ? [] : ([[kind, value.name]] as [string, string][])),
      ...referencesIn(value),
    ];
  });
};

const workloadKinds = ['Deployment', 'StatefulSet'];

/** A claim and the pod that mounts it become ready together; every other object must not come before those that it refers to. */
export const waveProblems = (manifests: Manifest[]): string[] =>
  manifests.flatMap((manifest) => {
    const id = `${manifest.kind} ${manifest.metadata.name}`;
    const find = (kind: string, name: string) =>
      manifests.find(
        (m) => m.metadata.name === name && (kind === '' ? workloadKinds.includes(m.kind) : m.kind === kind),
      );
    const named = referencesIn(manifest.spec).flatMap(([kind, name]) => find(kind, name) ?? []);
    return named.flatMap((other) => {
      const [own, theirs] = [waveOf(manifest), waveOf(other)];
      const together = other.kind === 'PersistentVolumeClaim';
      return own < theirs || (together && own !== theirs)
        ? [
            `${id}: is of wave ${own}, but ${other.kind} ${other.metadata.name}, which it refers to, is of wave ${theirs}`,
          ]
        : [];
    });
  });
