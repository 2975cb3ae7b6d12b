import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { madeOnce } from './made-once.ts';
import { runProgram } from './programs.ts';
import { root } from './project.ts';

/**
 * The jars that `pom.xml` of the first folder names and the compiled programs of all folders, created once per version in
 * `.lanyard/<name>`. Takes minutes if nothing is cached.
 */
export const compileJava = async (name: string, folders: readonly [string, ...string[]]): Promise<string> => {
  const pom = join(folders[0], 'pom.xml');
  const programs = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.java'))
      .map((file) => join(folder, file)),
  );
  const parts = [pom, ...programs].map((file) => readFileSync(file));
  return madeOnce(`${join(root, '.lanyard', name)}/`, parts, async (own) => {
    const copy = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${own}`];
    await runProgram('mvn', ['-q', '-B', '-f', pom, ...copy]);
    await runProgram('javac', ['-encoding', 'UTF-8', '-cp', `${own}/*`, '-d', own, ...programs]);
  });
};

/** The programs of `e2e/<folder>` and of `java-tls`. Call it before a test's time limit starts. */
export const prepareJava = (folder: string) =>
  compileJava(folder, [join(root, 'e2e', folder), join(root, 'e2e/java-tls')]);
