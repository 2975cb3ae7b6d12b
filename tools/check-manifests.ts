/** Every kustomization of k8s/ is built, validated and held to our rules; so are Dockerfile and docker-compose.yml. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { root } from './lanyard/project.ts';
import { composeProblems, readDockerfile } from './manifests/compose.ts';
import { enginePortProblems } from './manifests/engine-ports.ts';
import { manifestEnvironmentProblems } from './manifests/environment.ts';
import { buildKustomization, type Manifest } from './manifests/kustomize.ts';
import {
  coverageProblems,
  datagramProblems,
  migrationProblems,
  referenceProblems,
  workloadProblems,
} from './manifests/policies.ts';
import { scalingProblems } from './manifests/scaling.ts';
import { schemaProblems } from './manifests/schemas.ts';

/** Names of generated maps end in a hash, which the two builders compute differently. */
const comparable = (manifests: Manifest[]) =>
  manifests
    .map((m) => JSON.parse(JSON.stringify(m).replaceAll(/"(lanyard-[a-z-]+)-[0-9a-z]{10}"/g, '"$1"')))
    .sort((a, b) => `${a.kind}/${a.metadata.name}`.localeCompare(`${b.kind}/${b.metadata.name}`));

/** Where kubectl is installed, what it builds is what we check. */
const differencesFromKubectl = (folder: string, manifests: Manifest[]): string[] => {
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  if (status === null) return [];
  if (status !== 0) return [`${folder}: kubectl kustomize: ${stderr}`];
  const theirs = comparable(parseAllDocuments(stdout, { version: '1.1' }).map((document) => document.toJS()));
  const ours = comparable(manifests);
  if (ours.length !== theirs.length) return [`${folder}: kubectl builds ${theirs.length} objects, we ${ours.length}`];
  return ours.flatMap((m, i) =>
    isDeepStrictEqual(m, theirs[i]) ? [] : [`${folder}: kubectl builds another ${m.kind} ${m.metadata.name}`],
  );
};

/** @param isOurs its pods are our services, not engines */
const problemsOf = async (folder: string, isOurs: boolean): Promise<string[]> => {
  const path = join(root, folder);
  const manifests = buildKustomization(path);
  const problems = [
    ...differencesFromKubectl(path, manifests),
    ...(await schemaProblems(manifests)),
    ...workloadProblems(manifests),
    ...referenceProblems(manifests),
    ...datagramProblems(manifests),
    ...(isOurs ? coverageProblems(manifests) : []),
    ...(isOurs ? await manifestEnvironmentProblems(manifests) : []),
    ...(await scalingProblems(manifests)),
    ...(isOurs ? enginePortProblems(manifests) : []),
  ];
  return problems.map((problem) => `${folder}: ${problem}`);
};

/** The Jobs of an overlay: a folder of their own, for a Job cannot be changed by applying it again. */
const jobProblems = async (folder: string): Promise<string[]> => {
  const jobs = buildKustomization(join(root, folder, 'migrations'));
  return [
    ...(await problemsOf(`${folder}/migrations`, false)),
    ...(await manifestEnvironmentProblems(jobs)),
    ...migrationProblems(buildKustomization(join(root, folder)), jobs),
  ];
};

const { targets, problems } = readDockerfile(readFileSync(join(root, 'Dockerfile'), 'utf8'));
const all = [
  ...problems,
  ...(await composeProblems(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), targets)),
  ...(await problemsOf('k8s/overlays/dev', true)),
  ...(await problemsOf('k8s/overlays/prod', true)),
  ...(await problemsOf('k8s/infrastructure', false)),
  ...(await problemsOf('k8s/infrastructure-dev', false)),
  ...(await problemsOf('k8s/infrastructure/redis-cluster', false)),
  ...(await jobProblems('k8s/overlays/prod')),
];
for (const problem of all) console.error(problem);
process.exitCode = all.length > 0 ? 1 : 0;
