/** Another commit, built beside this one. */
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { outputOf, runProgram } from '../lanyard/programs.ts';
import { root, Stop } from '../lanyard/project.ts';

const git = (args: string[], cwd: string = root) => outputOf('git', args, { cwd }).trim();

/** Refuses a commit from before the initial migrations of this version, which start with an empty schema. */
const mustBeUpgradable = (commit: string) => {
  const known = new Set(git(['ls-tree', '-r', '--name-only', commit, 'apps']).split('\n'));
  const initial = git(['ls-files', 'apps/*/src/db/migrations/*-initial.ts']).split('\n');
  const missing = initial.find((path) => !known.has(path));
  if (missing === undefined) return;
  const since = git(['log', '--diff-filter=A', '--format=%h', '-1', '--', missing]);
  throw new Stop(
    `The database of ${commit} cannot be upgraded to this version: ${missing} came with ${since}. Choose that commit or a later one with --from.`,
  );
};

/** Path and version of each package, also of those that a workspace has for itself; workspaces left out. */
const packagesOf = (folder: string): [string, string][] =>
  Object.entries<{ version: string; link?: boolean }>(
    JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages,
  ).flatMap(([path, { version, link }]) => (path.includes('node_modules/') && !link ? [[path, version]] : []));

/** Whether the packages that the other checkout needs are installed here; additional ones do no harm. */
const isInstalledHere = (folder: string) => {
  const here = new Map(packagesOf(root));
  return packagesOf(folder).every(([path, version]) => here.get(path) === version);
};

/** The workspaces that have packages of their own; `''` stands for the packages that all share. */
const ownersOf = (folder: string) =>
  new Set(packagesOf(folder).map(([path]) => path.slice(0, path.indexOf('node_modules/'))));

/** Links packages of this checkout and workspaces of the other one. */
const linkPackages = (from: string, to: string, folder: string) => {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    if (name.startsWith('@')) linkPackages(source, target, folder);
    else if (lstatSync(source).isSymbolicLink()) {
      const workspace = join(folder, relative(root, realpathSync(source)));
      if (existsSync(workspace)) symlinkSync(workspace, target);
    } else if (name !== '.package-lock.json') symlinkSync(source, target);
  }
};

/** Links the packages that the other checkout needs and that are installed here. Returns whether they are complete. */
export const linkInstalled = (folder: string) => {
  const isHere = isInstalledHere(folder);
  for (const owner of isHere ? ownersOf(folder) : []) {
    const packages = join(owner, 'node_modules');
    linkPackages(join(root, packages), join(folder, packages), folder);
  }
  return isHere;
};

export class PreviousCommit {
  folder: string;
  commit: string;

  constructor(folder: string, commit: string) {
    this.folder = folder;
    this.commit = commit;
  }

  static async checkOut(ref: string) {
    const commit = git(['rev-parse', '--short', `${ref}^{commit}`]);
    mustBeUpgradable(commit);
    const folder = join(root, `.lanyard/previous-${commit}`);
    const previous = new PreviousCommit(folder, commit);
    previous.remove();
    git(['worktree', 'add', '--detach', folder, commit]);
    if (!linkInstalled(folder))
      await runProgram('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder]);
    const [install] = ['ts', 'mjs'].map((end) => join(folder, `tools/lanyard/install.${end}`)).filter(existsSync);
    const script = `import(${JSON.stringify(install)}).then((m) => m.build())`;
    await runProgram(process.execPath, ['--input-type=module', '-e', script]);
    return previous;
  }

  remove() {
    if (existsSync(this.folder)) spawnSync('git', ['worktree', 'remove', '--force', this.folder], { cwd: root });
    git(['worktree', 'prune']);
  }
}
