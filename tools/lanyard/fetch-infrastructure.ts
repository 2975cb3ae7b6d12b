/** Fetches Kafka, PostgreSQL and Redis as named in deploy/infrastructure/pom.xml into .lanyard/infrastructure/<hash of the pom>. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { madeOnce } from './made-once.ts';
import { checkInfrastructurePrerequisites } from './prerequisites.ts';
import { outputOf, runProgram } from './programs.ts';
import { infrastructureFolder, root, say, Stop } from './project.ts';

const pom = join(root, 'deploy/infrastructure/pom.xml');

/** This platform's name in each of the two artifacts with binaries. */
const platforms = {
  'linux-x64': { postgres: 'linux-amd64', redis: 'linux-amd64' },
  'linux-arm64': { postgres: 'linux-arm64v8', redis: 'linux-arm64' },
  'darwin-x64': { postgres: 'darwin-amd64', redis: 'darwin-amd64' },
  'darwin-arm64': { postgres: 'darwin-arm64v8', redis: 'darwin-arm64' },
};

const thisPlatform = () => {
  const found = platforms[`${platform()}-${arch()}` as keyof typeof platforms];
  if (!found)
    throw new Stop(
      `No embedded infrastructure for ${platform()}-${arch()}: set KAFKA_BROKERS, DATABASE_URL and REDIS_URL.`,
    );
  return found;
};

const jarIn = (folder: string, pattern: RegExp) => {
  const name = readdirSync(folder).find((n) => pattern.test(n));
  if (!name) throw new Stop(`Maven gave no ${pattern}: remove ${infrastructureFolder()} and try again.`);
  return join(folder, name);
};

/** The first file of a jar whose name is wanted. */
const fileIn = (jar: string, isWanted: (name: string) => boolean) => {
  const [file] = Object.values(unzipSync(readFileSync(jar), { filter: ({ name }) => isWanted(name) }));
  if (!file) throw new Stop('The archives of Kafka, PostgreSQL or Redis have another layout than expected.');
  return file;
};

const unpack = async (folder: string) => {
  const jars = join(folder, 'jars');
  const archive = fileIn(jarIn(jars, /^embedded-postgres/), (name) => name.endsWith('.txz'));
  const server = fileIn(
    jarIn(jars, /^embedded-redis/),
    (name) => name.includes('redis-server') && name.endsWith(thisPlatform().redis),
  );
  const txz = join(folder, 'postgres.txz');
  writeFileSync(txz, archive);
  const tar = join(folder, 'postgres.tar');
  await runProgram('mvn', ['-q', '-B', '-f', pom, 'antrun:run@unxz', `-Darchive=${txz}`, `-Dtar=${tar}`]);
  mkdirSync(join(folder, 'postgres'));
  outputOf('tar', ['-xf', tar, '-C', join(folder, 'postgres')]);
  for (const path of [txz, tar]) rmSync(path);
  writeFileSync(join(folder, 'redis-server'), server);
  chmodSync(join(folder, 'redis-server'), 0o755);
  const kafka = join(folder, 'kafka');
  mkdirSync(kafka);
  for (const jar of readdirSync(jars)) if (!jar.startsWith('embedded-')) renameSync(join(jars, jar), join(kafka, jar));
  rmSync(jars, { recursive: true });
};

/** The folder with `kafka/*.jar`, `postgres/bin/*` and `redis-server`. Fetched once. */
export const fetchInfrastructure = () => {
  const parts = [readFileSync(pom), `${platform()}-${arch()}`];
  return madeOnce(`${infrastructureFolder()}/`, parts, async (own) => {
    checkInfrastructurePrerequisites();
    say('fetching the infrastructure with Maven (once)');
    await runProgram('mvn', [
      ...['-q', '-B', '-f', pom, 'dependency:copy-dependencies', '-DincludeScope=runtime'],
      `-Dpostgres.platform=${thisPlatform().postgres}`,
      `-DoutputDirectory=${join(own, 'jars')}`,
    ]);
    await unpack(own);
  });
};
