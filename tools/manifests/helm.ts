/** Renders the Helm chart with Helm, which is found on the machine, or built from its Go module and cached. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { succeeds } from '../lanyard/programs.ts';
import { root } from '../lanyard/project.ts';
import type { Manifest } from './kustomize.ts';

const version = 'v3.22.0';

/** Builds Helm if Go is installed, which takes minutes, once per user. */
const builtHelm = (): string | undefined => {
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), `lanyard/helm-${version}`);
  const program = join(folder, 'helm');
  if (existsSync(program)) return program;
  if (!succeeds('go', ['version'])) return undefined;
  mkdirSync(folder, { recursive: true });
  process.stdout.write(`building Helm ${version}, once\n`);
  const args = ['install', '-trimpath', '-ldflags', '-s -w', `helm.sh/helm/v3/cmd/helm@${version}`];
  // Run outside this project, whose folder may hold settings of other tools.
  const env = { ...process.env, GOBIN: folder, CGO_ENABLED: '0', GOFLAGS: '' };
  const { status } = spawnSync('go', args, { cwd: homedir(), env, stdio: ['ignore', 'ignore', 'inherit'] });
  return status === 0 ? program : undefined;
};

/** @returns undefined if there is neither Helm nor Go */
export const findHelm = (): string | undefined => (succeeds('helm', ['version', '--client']) ? 'helm' : builtHelm());

/** The output of `helm template` with these values; throws with its message if it fails. */
export const renderChart = (helm: string, ...values: string[]): Manifest[] => {
  const chart = join(root, 'deploy/helm');
  const args = ['template', 'lanyard', chart, '--namespace', 'lanyard', '--kube-version', '1.34.0', ...values];
  const { status, stdout, stderr } = spawnSync(helm, args, { encoding: 'utf8', maxBuffer: 1 << 26 });
  // Helm reports every symbolic link that it follows.
  if (status !== 0) throw new Error(stderr.replaceAll(/^.*found symbolic link.*\n/gm, ''));
  return parseAllDocuments(stdout, { version: '1.1' })
    .map((document) => document.toJS() as Manifest)
    .filter((manifest) => manifest !== null);
};

/** Removes hooks, which Helm uses where kubectl waits for the Jobs. */
export const withoutHooks = (manifests: Manifest[]): Manifest[] =>
  manifests.map((manifest) => {
    const { annotations, ...metadata } = manifest.metadata;
    const kept = Object.entries(annotations ?? {}).filter(([name]) => !name.startsWith('helm.sh/'));
    return {
      ...manifest,
      metadata: { ...metadata, ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }) },
    };
  });
