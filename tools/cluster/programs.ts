/** Kubernetes and related programs, built from Go modules once per machine and kept in the user's cache. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { goMinor, hasGo, outputOf, runProgram } from '../lanyard/programs.ts';
import { say, Stop } from '../lanyard/project.ts';
import { cacheFolder } from './plan.ts';

/** `staging`: the version under which folders of the module are published as modules */
interface Source {
  module: string;
  version: string;
  staging?: string;
  folder: string;
  /** Packages by name of the program, relative to the module. */
  programs: Record<string, string>;
}

const kubernetes: Source = {
  module: 'k8s.io/kubernetes',
  version: 'v1.34.2',
  staging: 'v0.34.2',
  folder: 'kubernetes-v1.34.2',
  programs: Object.fromEntries(
    ['kube-apiserver', 'kubectl', 'kube-controller-manager', 'kube-scheduler', 'kubelet', 'kube-proxy'].map((name) => [
      name,
      `cmd/${name}`,
    ]),
  ),
};

export const sources = {
  kubernetes,
  coredns: {
    module: 'github.com/coredns/coredns',
    version: 'v1.12.4',
    folder: 'coredns-v1.12.4',
    programs: { coredns: '' },
  },
  'metrics-server': {
    module: 'sigs.k8s.io/metrics-server',
    version: 'v0.8.0',
    folder: 'metrics-server-v0.8.0',
    programs: { 'metrics-server': 'cmd/metrics-server' },
  },
  keda: {
    module: 'github.com/kedacore/keda/v2',
    version: 'v2.17.2',
    folder: 'keda-v2.17.2',
    programs: { 'keda-operator': 'cmd/operator', 'keda-adapter': 'cmd/adapter' },
  },
} satisfies Record<string, Source>;

export type SourceName = keyof typeof sources;

const minutes = '20 to 40 minutes on two cores, once per machine';

const pathOf = ({ folder }: Source, program: string) => join(cacheFolder(), folder, program);

/** @param name for example `kubelet` */
export const programPath = (name: string) => {
  const source = Object.values<Source>(sources).find(({ programs }) => name in programs);
  if (!source) throw new Error(`no program ${name}`);
  return pathOf(source, name);
};

const missingOf = (source: Source) =>
  Object.entries(source.programs).filter(([program]) => !existsSync(pathOf(source, program)));

/** Programs that still have to be built. */
export const missingPrograms = (names: readonly SourceName[] = Object.keys(sources) as SourceName[]) =>
  names.flatMap((name) => missingOf(sources[name]).map(([program]) => program));

// Some networks with a module proxy cannot reach the checksum database; versions are pinned here.
const goEnvironment = { CGO_ENABLED: '0', GOFLAGS: '-mod=mod', GONOSUMDB: '*' };

const go = (args: string[], cwd: string) => outputOf('go', args, { cwd, env: { ...process.env, ...goEnvironment } });

const checkGo = () => {
  if (!hasGo()) throw new Stop(`Kubernetes is built with Go 1.${goMinor} or later: install it from https://go.dev/dl/`);
};

/** The folder of the module's files: its sources and manifests. */
export const moduleFolder = ({ module, version }: Pick<Source, 'module' | 'version'>): string =>
  JSON.parse(go(['mod', 'download', '-json', `${module}@${version}`], tmpdir())).Dir;

/**
 * A main module that requires the source and repeats its replacements, because Go applies these only in a main module. Folders
 * of the source's own repository are replaced by the versions under which they are published.
 */
export const goModOf = (
  goMod: string,
  { module, version, staging }: Pick<Source, 'module' | 'version' | 'staging'>,
) => {
  const replaced = /^replace \([^]*?^\)/m.exec(goMod)?.[0] ?? '';
  const published = replaced.replaceAll(/=> \.\/staging\/src\/(\S+)/g, `=> $1 ${staging}`);
  return ['module lanyard/cluster', '', 'go 1.24.0', '', `require ${module} ${version}`, '', published, ''].join('\n');
};

const packageOf = ({ module }: Source, path: string) => (path === '' ? module : `${module}/${path}`);

const writeModule = (folder: string, name: SourceName) => {
  const source: Source = sources[name];
  writeFileSync(join(folder, 'go.mod'), goModOf(readFileSync(join(moduleFolder(source), 'go.mod'), 'utf8'), source));
  const imports = Object.values(source.programs).map((path) => `import _ "${packageOf(source, path)}"`);
  writeFileSync(join(folder, 'tools.go'), ['//go:build tools', '', 'package cluster', '', ...imports, ''].join('\n'));
  go(['mod', 'tidy'], folder);
};

const stampsOf = ({ version }: Source) => {
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(version) ?? [];
  const stamps = { gitVersion: version, gitMajor: major, gitMinor: minor };
  return Object.entries(stamps).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
};

const buildProgram = async (folder: string, source: Source, [program, path]: [string, string]) => {
  const target = pathOf(source, program);
  mkdirSync(join(target, '..'), { recursive: true });
  const own = join(folder, program);
  const flags = ['-trimpath', '-ldflags', ['-s', '-w', ...stampsOf(source)].join(' ')];
  const build = ['go', '-C', folder, 'build', ...flags, '-o', own, packageOf(source, path)];
  // A build may take half an hour, so everything else on this machine has priority.
  await runProgram('nice', ['-n', '15', ...build], goEnvironment);
  renameSync(own, target);
};

/** Builds the programs that are missing. */
export const buildPrograms = async (names: readonly SourceName[] = Object.keys(sources) as SourceName[]) => {
  const wanted = missingPrograms(names);
  if (wanted.length === 0) return;
  checkGo();
  say(`building ${wanted.length} programs: ${minutes}`);
  mkdirSync(cacheFolder(), { recursive: true });
  let done = 0;
  for (const name of names) {
    const missing = missingOf(sources[name]);
    if (missing.length === 0) continue;
    const folder = mkdtempSync(join(cacheFolder(), 'build-'));
    try {
      say(`fetching ${sources[name].module} ${sources[name].version}`);
      writeModule(folder, name);
      for (const program of missing) {
        say(`building ${program[0]} (${++done} of ${wanted.length})`);
        await buildProgram(folder, sources[name], program);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
};

/** The program that holds the namespaces for the containers of a pod: it only waits. */
const pauseSource = `package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGINT, syscall.SIGTERM)
	<-end
}
`;

export const buildPause = async () => {
  const target = join(cacheFolder(), 'pause-1', 'pause');
  if (existsSync(target)) return target;
  checkGo();
  mkdirSync(join(target, '..'), { recursive: true });
  const folder = mkdtempSync(join(cacheFolder(), 'build-'));
  writeFileSync(join(folder, 'go.mod'), 'module pause\n\ngo 1.24\n');
  writeFileSync(join(folder, 'main.go'), pauseSource);
  await runProgram('go', ['-C', folder, 'build', '-ldflags', '-s -w', '-o', target, '.'], goEnvironment);
  rmSync(folder, { recursive: true, force: true });
  return target;
};
