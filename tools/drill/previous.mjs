/** Another commit, built beside this one. */
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { runProgram } from '../lanyard/install.mjs';
import { root, Stop } from '../lanyard/project.mjs';

/** @param {string[]} args @param {string} [cwd] */
const git = (args, cwd = root) => {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Stop(`git ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
};

/** Version of each package, workspaces left out. @param {string} folder @returns {[string, string][]} */
const packagesOf = (folder) =>
  Object.entries(JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages).flatMap(
    ([path, { version, link }]) => (path.startsWith('node_modules/') && !link ? [[path, version]] : []),
  );

/** Whether what is installed here is what that checkout wants; more does no harm. @param {string} folder */
const isInstalledHere = (folder) => {
  const here = new Map(packagesOf(root));
  return packagesOf(folder).every(([path, version]) => here.get(path) === version);
};

/** Packages of this checkout, workspaces of that one. @param {string} from @param {string} to @param {string} folder */
const linkPackages = (from, to, folder) => {
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

export class PreviousCommit {
  /** @param {string} folder @param {string} commit */
  constructor(folder, commit) {
    this.folder = folder;
    this.commit = commit;
  }

  /** @param {string} ref */
  static async checkOut(ref) {
    const commit = git(['rev-parse', '--short', `${ref}^{commit}`]);
    const folder = join(root, `.lanyard/previous-${commit}`);
    const previous = new PreviousCommit(folder, commit);
    previous.remove();
    git(['worktree', 'add', '--detach', folder, commit]);
    if (isInstalledHere(folder)) linkPackages(join(root, 'node_modules'), join(folder, 'node_modules'), folder);
    else await runProgram('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder]);
    const script = `import(${JSON.stringify(join(folder, 'tools/lanyard/install.mjs'))}).then((m) => m.build())`;
    await runProgram(process.execPath, ['--input-type=module', '-e', script]);
    return previous;
  }

  remove() {
    if (existsSync(this.folder)) spawnSync('git', ['worktree', 'remove', '--force', this.folder], { cwd: root });
    git(['worktree', 'prune']);
  }
}
