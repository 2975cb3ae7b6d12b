/** A copy of the built dispatcher and gateway, which a new build does not change, and in which a bug may be planted. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { KafkaProducer } from '@lanyard/kafka';
import { root, Stop } from '../tools/lanyard/project.ts';

/** `file`: path within the program; `find` occurs exactly once in it */
export interface Mutation {
  file: string;
  find: string;
  replace: string;
}

const libraries = ['contracts', 'kafka', 'service'];
const producerFile = 'dist/producer/kafka-producer.js';

/** @param folder within the project, so that packages are found */
export const copyProgram = (folder: string, mutation?: Mutation) => {
  const app = join(root, 'apps/dispatcher');
  mkdirSync(join(folder, 'src/queue'), { recursive: true });
  cpSync(join(app, 'dist'), join(folder, 'dist'), { recursive: true });
  cpSync(join(app, 'src/queue/commands'), join(folder, 'src/queue/commands'), { recursive: true });
  cpSync(join(app, 'package.json'), join(folder, 'package.json'));
  const gateway = join(folder, 'apps/gateway');
  cpSync(join(root, 'apps/gateway/dist'), join(gateway, 'dist'), { recursive: true });
  cpSync(join(root, 'apps/gateway/package.json'), join(gateway, 'package.json'));
  for (const name of libraries) {
    const [from, to] = [join(root, 'libs', name), libraryIn(folder, name)];
    cpSync(join(from, 'dist'), join(to, 'dist'), { recursive: true });
    cpSync(join(from, 'package.json'), join(to, 'package.json'));
  }
  if (mutation) mutate(join(folder, mutation.file), mutation);
  return folder;
};

const libraryIn = (folder: string, name: string) => join(folder, 'node_modules/@lanyard', name);

/**
 * The producer of the load: that of the program if its bug is there, otherwise that of the library. All other parts come from the
 * library, which changes kafkajs when it is loaded and cannot be loaded twice.
 */
export const producerOf = async (program: string): Promise<typeof KafkaProducer> => {
  const original = join(root, 'libs/kafka', producerFile);
  const source = readFileSync(join(libraryIn(program, 'kafka'), producerFile), 'utf8');
  if (source === readFileSync(original, 'utf8')) return KafkaProducer;
  const path = join(program, 'planted-producer.mjs');
  const absolute = (_: string, name: string) => `'${new URL(name, pathToFileURL(original))}'`;
  writeFileSync(path, source.replace(/'(\.\.?\/[^']+)'/g, absolute));
  const { KafkaProducer: planted } = await import(pathToFileURL(path).href);
  return planted;
};

const mutate = (path: string, { file, find, replace }: Mutation) => {
  const source = readFileSync(path, 'utf8');
  const times = source.split(find).length - 1;
  if (times !== 1)
    throw new Stop(`a planted bug does not fit any more: ${file} has ${times} times ${JSON.stringify(find)}`);
  writeFileSync(
    path,
    source.replace(find, () => replace),
  );
};
