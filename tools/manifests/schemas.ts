/**
 * Checks manifests against the schemas of Kubernetes, KEDA, Strimzi, the Gateway API and the Prometheus operator, which npm
 * packages provide: values by the compiled JSON schemas, and unknown fields by the types, because the schemas allow these.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lanyard/project.ts';
import type { Manifest } from './kustomize.ts';
import { ownSchemas } from './own-schemas.ts';

/** Packages that provide the kinds of an API group. */
const packages: [RegExp, string][] = [
  [/^v1$|^(apps|batch|policy|autoscaling|networking\.k8s\.io|rbac\.authorization\.k8s\.io)\//, 'kubernetes-models'],
  [/^keda\.sh\//, '@kubernetes-models/keda'],
  [/^kafka\.strimzi\.io\//, '@kubernetes-models/strimzi-kafka-operator'],
  [/^gateway\.networking\.k8s\.io\//, '@kubernetes-models/gateway-api'],
  [/^monitoring\.coreos\.com\//, '@kubernetes-models/prometheus-operator'],
];

const ownSchema = ({ apiVersion, kind }: Manifest) => ownSchemas[`${apiVersion} ${kind}`];

const moduleOf = (manifest: Manifest) => {
  if (ownSchema(manifest)) return undefined;
  const { apiVersion, kind } = manifest;
  const name = packages.find(([group]) => group.test(apiVersion))?.[1];
  return name && `${name}/${apiVersion}/${kind}`;
};

const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;

/** Problems with the values of a manifest. */
const wrongValues = async (manifest: Manifest): Promise<string[]> => {
  const schema = ownSchema(manifest);
  if (schema) {
    const { error } = schema.safeParse(manifest);
    return (error?.issues ?? []).map(({ path, message }) => `${nameOf(manifest)}: /${path.join('/')} ${message}`);
  }
  const module = moduleOf(manifest);
  if (!module) return [`${nameOf(manifest)}: no schema for ${manifest.apiVersion}`];
  try {
    const { [manifest.kind]: Model } = await import(module);
    new Model(manifest).validate();
    return [];
  } catch (error) {
    return [`${nameOf(manifest)}: ${error instanceof Error ? error.message : error}`];
  }
};

/** A program in which every manifest has the type of its kind, one per line. */
const typedProgram = (manifests: Manifest[]) => {
  const imports = [...new Set(manifests.map((m) => moduleOf(m) ?? ''))];
  const lines = manifests.map((m, i) => {
    const type = `K${imports.indexOf(moduleOf(m) ?? '')}.I${m.kind}`;
    return `export const m${i}: ${type} = ${JSON.stringify(m)};`;
  });
  return [...imports.map((module, i) => `import type * as K${i} from '${module}';`), ...lines].join('\n');
};

/** Fields that their types do not have. */
const unknownFields = (manifests: Manifest[]): string[] => {
  const typed = manifests.filter((m) => moduleOf(m) !== undefined);
  const folder = join(root, 'node_modules/.cache/lanyard-manifests', String(process.pid));
  mkdirSync(folder, { recursive: true });
  try {
    const file = join(folder, 'manifests.ts');
    writeFileSync(file, typedProgram(typed));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    const options = [
      '--noEmit',
      '--ignoreConfig',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--types',
      '',
      '--pretty',
      'false',
    ];
    const compiler = join(root, 'node_modules/typescript-7/bin/tsc');
    const { stdout, status } = spawnSync(process.execPath, [compiler, ...options, file], { encoding: 'utf8' });
    if (status === 0) return [];
    const first = new Set(typed.map((m) => moduleOf(m))).size + 1;
    const errors = [...stdout.matchAll(/manifests\.ts\((\d+),\d+\): error \w+: (.*)/g)].map(([, line, text]) => {
      const manifest = typed[Number(line) - first];
      return `${manifest ? nameOf(manifest) : 'types'}: ${text}`;
    });
    return errors.length > 0 ? errors : [`types: ${stdout}`];
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/** All problems that the schemas find. */
export const schemaProblems = async (manifests: Manifest[]): Promise<string[]> => {
  const problems = [];
  for (const manifest of manifests) problems.push(...(await wrongValues(manifest)));
  return [...problems, ...unknownFields(manifests)];
};
