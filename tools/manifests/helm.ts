/** The Helm chart, rendered by Helm: found on the machine, or built from its Go module and kept. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { succeeds } from '../lanyard/programs.ts';
import { root } from '../lanyard/project.ts';
import type { Manifest } from './kustomize.ts';

const version = 'v3.22.0';

/** Builds it where Go is installed: minutes, once for this user. */
const builtHelm = (): string | undefined => {
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), `lanyard/helm-${version}`);
  const program = join(folder, 'helm');
  if (existsSync(program)) return program;
  if (!succeeds('go', ['version'])) return undefined;
  mkdirSync(folder, { recursive: true });
  process.stdout.write(`building Helm ${version}, once\n`);
  const args = ['install', '-trimpath', '-ldflags', '-s -w', `helm.sh/helm/v3/cmd/helm@${version}`];
  // Not within this project, whose folder may hold settings of other tools.
  const env = { ...process.env, GOBIN: folder, CGO_ENABLED: '0', GOFLAGS: '' };
  const { status } = spawnSync('go', args, { cwd: homedir(), env, stdio: ['ignore', 'ignore', 'inherit'] });
  return status === 0 ? program : undefined;
};

/** @returns undefined where there is neither Helm nor Go */
export const findHelm = (): string | undefined => (succeeds('helm', ['version', '--client']) ? 'helm' : builtHelm());

/** What `helm template` prints with these values; throws with its message where it refuses. */
export const renderChart = (helm: string, ...values: string[]): Manifest[] => {
  const chart = join(root, 'deploy/helm');
  const args = ['template', 'lanyard', chart, '--namespace', 'lanyard', '--kube-version', '1.34.0', ...values];
  const { status, stdout, stderr } = spawnSync(helm, args, { encoding: 'utf8', maxBuffer: 1 << 26 });
  // It reports every link that it follows.
  if (status !== 0) throw new Error(stderr.replaceAll(/^.*found symbolic link.*\n/gm, ''));
  return parseAllDocuments(stdout, { version: '1.1' })
    .map((document) => document.toJS() as Manifest)
    .filter((manifest) => manifest !== null);
};

/** Helm has hooks where kubectl waits for the Jobs. */
export const withoutHooks = (manifests: Manifest[]): Manifest[] =>
  manifests.map((manifest) => {
    const { annotations, ...metadata } = manifest.metadata;
    const kept = Object.entries(annotations ?? {}).filter(([name]) => !name.startsWith('helm.sh/'));
    return {
      ...manifest,
      metadata: { ...metadata, ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }) },
    };
  });
