/** Every kustomization of k8s/ is built, validated and held to our rules; so are Dockerfile and docker-compose.yml. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { root } from './lanyard/project.mjs';
import { composeProblems, readDockerfile } from './manifests/compose.mjs';
import { enginePortProblems } from './manifests/engine-ports.mjs';
import { manifestEnvironmentProblems } from './manifests/environment.mjs';
import { buildKustomization } from './manifests/kustomize.mjs';
import { coverageProblems, migrationProblems, referenceProblems, workloadProblems } from './manifests/policies.mjs';
import { scalingProblems } from './manifests/scaling.mjs';
import { schemaProblems } from './manifests/schemas.mjs';

/** @typedef {import('./manifests/kustomize.mjs').Manifest} Manifest */

/** Names of generated maps end in a hash, which the two builders compute differently. @param {Manifest[]} manifests */
const comparable = (manifests) =>
  manifests
    .map((m) => JSON.parse(JSON.stringify(m).replaceAll(/"(lanyard-[a-z-]+)-[0-9a-z]{10}"/g, '"$1"')))
    .sort((a, b) => `${a.kind}/${a.metadata.name}`.localeCompare(`${b.kind}/${b.metadata.name}`));

/** Where kubectl is installed, what it builds is what we check. @param {string} folder @param {Manifest[]} manifests @returns {string[]} */
const differencesFromKubectl = (folder, manifests) => {
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

/** @param {string} folder @param {boolean} isOurs its pods are our services, not engines @returns {Promise<string[]>} */
const problemsOf = async (folder, isOurs) => {
  const path = join(root, folder);
  const manifests = buildKustomization(path);
  const problems = [
    ...differencesFromKubectl(path, manifests),
    ...(await schemaProblems(manifests)),
    ...workloadProblems(manifests),
    ...referenceProblems(manifests),
    ...(isOurs ? coverageProblems(manifests) : []),
    ...(isOurs ? await manifestEnvironmentProblems(manifests) : []),
    ...(await scalingProblems(manifests)),
    ...(isOurs ? enginePortProblems(manifests) : []),
  ];
  return problems.map((problem) => `${folder}: ${problem}`);
};

/** The Jobs of an overlay: a folder of their own, for a Job cannot be changed by applying it again. @param {string} folder @returns {Promise<string[]>} */
const jobProblems = async (folder) => {
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
  ...(await problemsOf('k8s/engines', false)),
  ...(await problemsOf('k8s/engines-dev', false)),
  ...(await problemsOf('k8s/engines/redis-cluster', false)),
  ...(await jobProblems('k8s/overlays/prod')),
];
for (const problem of all) console.error(problem);
process.exitCode = all.length > 0 ? 1 : 0;
