/**
 * Builds a kustomization without kubectl: supports the fields that k8s/ uses, and throws for any other. If kubectl is
 * installed, check-manifests compares both. Names of generated maps get a hash, but not the same as kubectl's.
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { applyPatch, type Operation } from 'rfc6902';
import { parse, parseAllDocuments } from 'yaml';

export type Manifest = {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> };
} & Record<string, unknown>;

interface Labels {
  pairs: Record<string, string>;
  includeTemplates?: boolean;
}

interface Generator {
  name: string;
  behavior?: string;
  envs?: string[];
  literals?: string[];
}

interface Patch {
  target: { kind?: string; name?: string };
  patch: string;
}

interface Kustomization {
  apiVersion: string;
  kind: string;
  namespace?: string;
  resources?: string[];
  components?: string[];
  labels?: Labels[];
  generatorOptions?: { annotations?: Record<string, string> };
  configMapGenerator?: Generator[];
  patches?: Patch[];
  images?: { name: string; newName?: string; newTag?: string; digest?: string }[];
  replicas?: { name: string; count: number }[];
}

/** Kinds that have no namespace. */
const clusterWide = new Set(['Namespace']);
const known = new Set([
  'apiVersion',
  'kind',
  'namespace',
  'resources',
  'components',
  'labels',
  'generatorOptions',
  'configMapGenerator',
  'patches',
  'images',
  'replicas',
]);
/** Marks the ConfigMaps whose names get a hash. */
const generated = Symbol('generated');

export const readManifests = (path: string): Manifest[] =>
  parseAllDocuments(readFileSync(path, 'utf8'), { version: '1.1' }).map((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem) throw new Error(`${path}: ${problem.message}`);
    const manifest = document.toJS() as Manifest;
    if (!manifest?.apiVersion || !manifest.kind || !manifest.metadata?.name)
      throw new Error(`${path}: a document without apiVersion, kind or metadata.name`);
    return manifest;
  });

const dataOf = (folder: string, { envs = [], literals = [] }: Generator): Record<string, string> => {
  const lines = envs.flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'));
  const entries = [...lines.filter((line) => line.trim() !== '' && !line.startsWith('#')), ...literals];
  return Object.fromEntries(
    entries.map((line) => {
      const at = line.indexOf('=');
      if (at < 1) throw new Error(`${folder}: "${line}" is no NAME=value`);
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );
};

const generate = (
  manifests: Manifest[],
  folder: string,
  generator: Generator,
  { annotations }: Kustomization['generatorOptions'] = {},
) => {
  const data = dataOf(folder, generator);
  const existing = manifests.find((m) => m.kind === 'ConfigMap' && m.metadata.name === generator.name);
  if (generator.behavior === 'merge') {
    if (!existing) throw new Error(`${folder}: nothing to merge ${generator.name} into`);
    Object.assign(existing.data as object, data);
  } else if (generator.behavior === undefined && !existing) {
    const metadata = { name: generator.name, ...(annotations && { annotations }) };
    const map: Manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
    manifests.push(Object.assign(map, { [generated]: true }));
  } else throw new Error(`${folder}: ${generator.name} with behavior ${generator.behavior}`);
};

const templateOf = (
  manifest: Manifest,
):
  | {
      metadata: { labels?: Record<string, string> };
      spec: { containers: { image: string }[]; initContainers?: { image: string }[] };
    }
  | undefined => (manifest as any).spec?.template;

const label = (manifest: Manifest, { pairs, includeTemplates }: Labels) => {
  manifest.metadata.labels = { ...manifest.metadata.labels, ...pairs };
  const template = templateOf(manifest);
  if (includeTemplates && template) template.metadata.labels = { ...template.metadata.labels, ...pairs };
};

/** Throws when a path does not exist. */
export const patchManifest = (manifest: Manifest, operations: Operation[]) => {
  const failure = applyPatch(manifest, operations).find((result) => result !== null);
  if (failure) throw failure;
};

const patchAll = (manifests: Manifest[], { target, patch }: Patch, folder: string) => {
  const targets = manifests.filter(
    (m) => (target.kind ?? m.kind) === m.kind && (target.name ?? m.metadata.name) === m.metadata.name,
  );
  if (targets.length === 0) throw new Error(`${folder}: a patch for ${JSON.stringify(target)} finds nothing`);
  const operations = parse(patch, { version: '1.1' });
  for (const manifest of targets)
    if (operations.$patch === 'delete') manifests.splice(manifests.indexOf(manifest), 1);
    else patchManifest(manifest, operations);
};

const setNumbersAndImages = (manifests: Manifest[], { images = [], replicas = [] }: Kustomization, folder: string) => {
  for (const { name, count } of replicas) {
    const found = manifests.filter((m) => ['Deployment', 'StatefulSet'].includes(m.kind) && m.metadata.name === name);
    if (found.length === 0) throw new Error(`${folder}: replicas of ${name}, which is not there`);
    for (const manifest of found) (manifest.spec as { replicas: number }).replicas = count;
  }
  for (const { name, newName = name, newTag, digest } of images)
    for (const { containers, initContainers = [] } of manifests.flatMap((m) => templateOf(m)?.spec ?? []))
      for (const container of [...containers, ...initContainers])
        if (container.image.split(/[:@]/)[0] === name)
          container.image = newName + (digest ? `@${digest}` : newTag ? `:${newTag}` : '');
};

/**
 * @param manifests objects that a component adds to and patches, as if it were part of the kustomization that names it
 * @param components folders of components that the kustomization itself does not name
 */
const assemble = (folder: string, manifests: Manifest[] = [], components: string[] = []): Manifest[] => {
  const kustomization: Kustomization = parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8'), {
    version: '1.1',
  });
  const unknown = Object.keys(kustomization).filter((field) => !known.has(field));
  if (unknown.length > 0) throw new Error(`${folder}: this builder knows no ${unknown.join(', ')}`);
  for (const resource of kustomization.resources ?? []) {
    const path = join(folder, resource);
    manifests.push(...(statSync(path).isDirectory() ? assemble(path) : readManifests(path)));
  }
  for (const component of kustomization.components ?? []) assemble(join(folder, component), manifests);
  for (const component of components) assemble(component, manifests);
  for (const generator of kustomization.configMapGenerator ?? [])
    generate(manifests, folder, generator, kustomization.generatorOptions);
  setNumbersAndImages(manifests, kustomization, folder);
  for (const patch of kustomization.patches ?? []) patchAll(manifests, patch, folder);
  for (const manifest of manifests) {
    for (const labels of kustomization.labels ?? []) label(manifest, labels);
    if (kustomization.namespace && !clusterWide.has(manifest.kind))
      manifest.metadata.namespace = kustomization.namespace;
  }
  return manifests;
};

/** Renames ConfigMaps in the fields of pods that refer to one, at any depth of a manifest. */
const renameMaps = (node: unknown, rename: (name: string) => string) => {
  if (node === null || typeof node !== 'object') return;
  for (const [key, value] of Object.entries(node)) {
    if (['configMapRef', 'configMapKeyRef', 'configMap'].includes(key) && typeof value?.name === 'string')
      value.name = rename(value.name);
    renameMaps(value, rename);
  }
};

/**
 * @param folder of a kustomization.yaml
 * @param components folders of components that the kustomization itself does not name
 */
export const buildKustomization = (folder: string, components: string[] = []): Manifest[] => {
  const manifests = assemble(folder, [], components);
  const names = new Map<string, string>();
  for (const manifest of manifests.filter((m) => generated in m)) {
    const hash = createHash('sha256').update(JSON.stringify(manifest.data)).digest('hex').slice(0, 10);
    names.set(manifest.metadata.name, `${manifest.metadata.name}-${hash}`);
    manifest.metadata.name = `${manifest.metadata.name}-${hash}`;
  }
  for (const manifest of manifests) renameMaps(manifest, (name) => names.get(name) ?? name);
  const ids = manifests.map((m) => `${m.kind} ${m.metadata.namespace ?? ''}/${m.metadata.name}`);
  const twice = ids.filter((id, i) => ids.indexOf(id) !== i);
  if (twice.length > 0) throw new Error(`${folder}: twice: ${twice.join(', ')}`);
  return manifests;
};
