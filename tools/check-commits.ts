/** Conventional commits: `type(scope): subject`, at most 100 characters, scope an app, a lib or a part of the project. */
import { execFileSync } from 'node:child_process';
import { conclude } from './lanyard/project-files.ts';

const form = /^(feat|fix|perf|refactor|test|docs|build|ci|chore|style|revert)(\([a-z0-9-]+\))?!?: .+[^.]$/;

const log = execFileSync('git', ['log', '--format=%h %s', '--no-merges'], { encoding: 'utf8', maxBuffer: 1 << 26 });
const wrong = log.split('\n').filter((line) => {
  const subject = line.slice(line.indexOf(' ') + 1);
  return line !== '' && (!form.test(subject) || subject.length > 100);
});
conclude(wrong.map((line) => `not a conventional commit: ${line}`));
