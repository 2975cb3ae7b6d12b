/** Conventional commits: `type(scope): subject`, at most 100 characters, scope an app, a lib or a part of the project. */
import { spawnSync } from 'node:child_process';

const form = /^(feat|fix|perf|refactor|test|docs|build|ci|chore|style|revert)(\([a-z0-9-]+\))?!?: .+[^.]$/;
const { stdout, status } = spawnSync('git', ['log', '--format=%h %s', '--no-merges'], { encoding: 'utf8' });
const wrong = stdout.split('\n').filter((line) => {
  const subject = line.slice(line.indexOf(' ') + 1);
  return line !== '' && (!form.test(subject) || subject.length > 100);
});
for (const line of wrong) console.error(`not a conventional commit: ${line}`);
process.exitCode = status !== 0 || wrong.length > 0 ? 1 : 0;
