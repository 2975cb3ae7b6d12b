/**
 * Stand-ins for the images of Kafka, PostgreSQL and Redis in docker-compose.yml and the manifests, for machines without a
 * registry: Debian's packages, and the servers that `npm start` runs. They support the settings, users and folders of the real
 * images that this project uses, and do not replace the real ones elsewhere.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, linkSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { fetchInfrastructure } from '../lanyard/fetch-infrastructure.ts';
import { root, say } from '../lanyard/project.ts';
import { buildOf, pulls, smallDebian } from './base-images.ts';
import { type Builder, hasImage } from './programs.ts';

/** Debian packages, and the folder of fetched binaries, for each server. */
const recipes = {
  kafka: { packages: 'openjdk-17-jre-headless', binaries: 'kafka' },
  postgresql: { packages: 'postgresql-client', binaries: 'postgres' },
  redis: { packages: 'redis-server,redis-tools', binaries: undefined },
};
type Server = keyof typeof recipes;

const label = 'lanyard.stand-in';

/** The images by their full names. */
export const infrastructureImages = (): [Server, string][] => {
  const { services } = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
    services: Record<Server, { image: string }>;
  };
  return (Object.keys(recipes) as Server[]).map((server) => {
    const { image } = services[server];
    return [server, `docker.io/${image.includes('/') ? '' : 'library/'}${image}`];
  });
};

/** Undefined for an image that is not a stand-in. */
const standInVersion = (builder: Builder, image: string): string | undefined => {
  const command = builder === 'buildah' ? ['inspect', '--type', 'image'] : ['image', 'inspect'];
  const { stdout } = spawnSync(builder, [...command, image], { encoding: 'utf8' });
  return new RegExp(`"${label}": "(\\w+)"`).exec(stdout)?.[1];
};

const makeStandIn = async (builder: Builder, server: Server, image: string) => {
  const { packages, binaries } = recipes[server];
  const sources = join(root, 'tools/images/stand-ins', server);
  const system = await smallDebian(server, packages);
  const fetched = binaries === undefined ? '' : await fetchInfrastructure();
  const containerfile = readFileSync(join(sources, 'Dockerfile'), 'utf8');
  const hash = createHash('sha256').update([system, fetched, containerfile].join('\n'));
  const version = hash
    .update(readFileSync(join(sources, 'entrypoint.sh')))
    .digest('hex')
    .slice(0, 12);
  if (standInVersion(builder, image) === version) return;
  await buildOf(builder, image, `${containerfile}LABEL ${label}=${version}\n`, (folder) => {
    linkSync(join(system, 'root.tar'), join(folder, 'root.tar'));
    cpSync(join(sources, 'entrypoint.sh'), join(folder, 'entrypoint.sh'));
    if (binaries !== undefined)
      cpSync(join(fetched, binaries), join(folder, binaries), { recursive: true, verbatimSymlinks: true });
  });
  say(`${image} is a stand-in`);
};

/** Fetches missing images, or makes stand-ins. */
export const ensureInfrastructureImages = async (builder: Builder) => {
  for (const [server, image] of infrastructureImages()) {
    const isReal = hasImage(builder, image) && standInVersion(builder, image) === undefined;
    if (!isReal && !pulls(builder, image)) await makeStandIn(builder, server, image);
  }
};
