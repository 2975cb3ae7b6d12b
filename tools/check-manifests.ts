/**
 * Every kustomization of k8s/ is built, validated and checked against our rules; so are Dockerfile, docker-compose.yml and the
 * commands of docs/kubernetes.md.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { root } from './lanyard/project.ts';
import { conclude, textOf } from './lanyard/project-files.ts';
import { commandProblems } from './manifests/commands.ts';
import { differences } from './manifests/compare.ts';
import { composeProblems, readDockerfile } from './manifests/compose.ts';
import { infrastructurePortProblems } from './manifests/infrastructure-ports.ts';
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
import { waveProblems } from './manifests/waves.ts';

/** Checks that kubectl, if it is installed, builds the same manifests. */
const differencesFromKubectl = (folder: string, manifests: Manifest[]): string[] => {
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  if (status === null) return [];
  if (status !== 0) return [`${folder}: kubectl kustomize: ${stderr}`];
  const theirs = parseAllDocuments(stdout, { version: '1.1' }).map((document) => document.toJS() as Manifest);
  return differences(manifests, theirs, 'kubectl');
};

/**
 * @param isOurs its pods are services, not infrastructure
 * @param components those that a copy of the overlay may add
 */
const problemsOf = async (folder: string, isOurs: boolean, ...components: string[]): Promise<string[]> => {
  const path = join(root, folder);
  const added = components.map((name) => join(root, 'k8s/components', name));
  const manifests = buildKustomization(path, added);
  // Fewer rules apply to the examples of infrastructure.
  const services = manifests.filter(({ metadata }) => metadata.namespace !== 'lanyard-infrastructure');
  const problems = [
    ...(added.length === 0 ? differencesFromKubectl(path, manifests) : []),
    ...(await schemaProblems(manifests)),
    ...workloadProblems(manifests),
    ...referenceProblems(manifests),
    ...datagramProblems(manifests),
    ...waveProblems(manifests),
    ...(isOurs ? coverageProblems(services) : []),
    ...(isOurs ? await manifestEnvironmentProblems(services) : []),
    ...(await scalingProblems(manifests)),
    ...(isOurs ? infrastructurePortProblems(services) : []),
  ];
  return problems.map((problem) => `${[folder, ...components].join(' with ')}: ${problem}`);
};

/** The Jobs of an overlay. They have their own folder, because applying a Job again cannot change it. */
const jobProblems = async (folder: string): Promise<string[]> => {
  const jobs = buildKustomization(join(root, folder, 'migrations'));
  return [
    ...(await problemsOf(`${folder}/migrations`, false)),
    ...(await manifestEnvironmentProblems(jobs)),
    ...migrationProblems(buildKustomization(join(root, folder)), jobs),
  ];
};

const { targets, problems } = readDockerfile(textOf('Dockerfile'));
conclude([
  ...problems,
  ...(await composeProblems(textOf('docker-compose.yml'), targets)),
  ...(await problemsOf('k8s/overlays/dev', true)),
  ...(await problemsOf('k8s/overlays/local', true)),
  ...(await problemsOf('k8s/overlays/prod', true)),
  ...(await problemsOf('k8s/overlays/prod', true, 'device-routes')),
  ...(await problemsOf('k8s/overlays/prod', true, 'openid', 'campaigns-bucket')),
  ...(await problemsOf('k8s/overlays/dev', true, 'ingress')),
  ...(await problemsOf('k8s/infrastructure', false)),
  ...(await problemsOf('k8s/infrastructure-dev', false)),
  ...(await problemsOf('k8s/infrastructure/redis-cluster', false)),
  ...(await jobProblems('k8s/overlays/prod')),
  ...commandProblems(textOf('docs/kubernetes.md')),
]);
