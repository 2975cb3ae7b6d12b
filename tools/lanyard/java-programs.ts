import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { madeOnce } from './made-once.ts';
import { runProgram } from './programs.ts';
import { root } from './project.ts';

/**
 * The jars that `e2e/<folder>/pom.xml` names and the compiled programs of that folder and `java-tls`, created once per version.
 * Takes minutes if nothing is cached, so call it before a test's time limit starts.
 */
export const prepareJava = async (folder: string): Promise<string> => {
  const source = join(root, 'e2e', folder);
  const programs = [source, join(root, 'e2e/java-tls')].flatMap((each) =>
    readdirSync(each)
      .filter((name) => name.endsWith('.java'))
      .map((name) => join(each, name)),
  );
  const parts = [join(source, 'pom.xml'), ...programs].map((file) => readFileSync(file));
  return madeOnce(`${join(root, '.lanyard', folder)}/`, parts, async (own) => {
    const copy = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${own}`];
    await runProgram('mvn', ['-q', '-B', '-f', join(source, 'pom.xml'), ...copy]);
    await runProgram('javac', ['-encoding', 'UTF-8', '-cp', `${own}/*`, '-d', own, ...programs]);
  });
};
