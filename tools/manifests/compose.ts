/** docker-compose.yml and Dockerfile: parsed and checked against the same rules as the manifests. There is no Docker in CI. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { databaseUserOf } from '../lanyard/database-users.ts';
import { root } from '../lanyard/project.ts';
import { apps } from '../lanyard/service-processes.ts';
import { type Compose, composeSchemaProblems, type Service } from './compose-schema.ts';
import { environmentProblems, interpolated } from './environment.ts';

/** `name:1.2.3`, `name:18.1-suffix`, or a digest. */
const exactVersion = /(:\d+\.\d+[^/]*|@sha256:[0-9a-f]{64})$/;

/** This image has no versions, only dates: a release names a digest (docs/kubernetes.md). */
const withoutVersions = /^gcr\.io\/distroless\/[a-z0-9-]+:nonroot$/;

const secretName = /PASSWORD|SECRET|_KEY$|DATABASE_URL|REDIS_URL|REDISCLI_AUTH/;

/** A file of this repository, or a volume. */
const isThere = (mount: string, volumes: Compose['volumes']) => {
  const [source = ''] = mount.split(':');
  return source.startsWith('./') ? existsSync(join(root, source)) : source in volumes;
};

const hasOwnDatabaseUser = (name: string, { environment = {} }: Service) => {
  const app = apps.find((one) => one === name);
  return !app || new URL(interpolated(String(environment.DATABASE_URL))).username === databaseUserOf(app);
};

const serviceProblems = (
  name: string,
  service: Service,
  { services, volumes }: Compose,
  targets: Set<string>,
): string[] => {
  const isOurs = service.build !== undefined;
  const secrets = Object.entries(service.environment ?? {}).filter(([variable]) => secretName.test(variable));
  const rules: [boolean, string][] = [
    [!isOurs || (service.read_only === true && service.cap_drop?.includes('ALL') === true), 'can write to its root'],
    [!isOurs || service.mem_limit !== undefined, 'has no memory limit'],
    [!isOurs || targets.has(service.build?.target ?? ''), `is built from ${service.build?.target}, no target`],
    [isOurs || (service.healthcheck && 'test' in service.healthcheck) === true, 'has no healthcheck'],
    [isOurs || exactVersion.test(service.image), 'has an image without an exact version'],
    [service.security_opt?.includes('no-new-privileges:true') === true, 'may gain privileges'],
    [
      (service.ports ?? []).every((port) => /^127\.0\.0\.1:\$\{[A-Z]+_PORT:-\d+\}:/.test(port)),
      'listens on more than loopback, or on a port that cannot be changed',
    ],
    [secrets.every(([, value]) => /\$\{\w+:\?/.test(String(value))), 'has a secret written into the file'],
    [Object.keys(service.depends_on ?? {}).every((other) => other in services), 'depends on an unknown service'],
    [(service.volumes ?? []).every((mount) => isThere(mount, volumes)), 'has an undeclared volume'],
    [hasOwnDatabaseUser(name, service), 'has no database user of its own'],
  ];
  return rules.flatMap(([holds, problem]) => (holds ? [] : [`docker-compose.yml: ${name} ${problem}`]));
};

/** Secrets in a Dockerfile, which would stay in the layers of an image. */
const secretsIn = (dockerfile: string) =>
  [...dockerfile.matchAll(/^(?:ARG|ENV) .*$/gm)]
    .filter(([line]) => /PASSWORD|SECRET|TOKEN|_KEY/.test(line))
    .map(([line]) => `holds a secret: ${line}`);

/** Workspaces that the Dockerfile does not copy: npm needs every package.json before it installs, and gets them without sources. */
const unlistedWorkspaces = (dockerfile: string) => {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { workspaces: string[] };
  return workspaces
    .flatMap((pattern) => globSync(`${pattern}/package.json`, { cwd: root }))
    .filter((path) => !dockerfile.includes(`\nCOPY ${path} ${dirname(path)}/\n`))
    .map((path) => `does not copy ${path} before npm ci`);
};

export const readDockerfile = (dockerfile: string): { targets: Set<string>; problems: string[] } => {
  const froms = [...dockerfile.matchAll(/^FROM (\S+) AS (\S+)$/gm)].map(([, base = '', name = '']) => ({ base, name }));
  const pinned = [...dockerfile.matchAll(/^ARG (\w+_IMAGE)=(\S+:\S+)$/gm)].map(([, name = '', image = '']) => ({
    name,
    image,
  }));
  const stages = new Set(froms.map(({ name }) => name));
  const known = new Set([...stages, ...pinned.map(({ name }) => `\${${name}}`)]);
  const problems = [
    ...froms
      .filter(({ base }) => !known.has(base))
      .map(({ base }) => `FROM ${base} is neither a stage nor a pinned image`),
    ...pinned
      .filter(({ image }) => !exactVersion.test(image) && !withoutVersions.test(image))
      .map(({ name, image }) => `${name} names no exact version (${image})`),
    ...(/^ADD /m.test(dockerfile) ? ['fetches with ADD'] : []),
    ...(/\bapt-get\b|\bapk\b/.test(dockerfile) ? ['installs packages of a system, whose versions are not pinned'] : []),
    ...(/^RUN npm ci /m.test(dockerfile) ? [] : ['does not install from the lock file']),
    ...secretsIn(dockerfile),
    ...unlistedWorkspaces(dockerfile),
    ...apps.filter((app) => !stages.has(app)).map((app) => `has no target ${app}`),
    ...(/^USER [1-9]\d*:[1-9]\d*$/m.test(dockerfile) ? [] : ['names no user other than root']),
    ...(/^HEALTHCHECK .*CMD \[/m.test(dockerfile) ? [] : ['has no healthcheck without a shell']),
    ...(/\bcurl\b|\bwget\b/.test(dockerfile) ? ['needs curl or wget'] : []),
  ];
  return { targets: stages, problems: problems.map((problem) => `Dockerfile: ${problem}`) };
};

/** @param text of docker-compose.yml */
export const composeProblems = async (text: string, targets: Set<string>): Promise<string[]> => {
  const compose: Compose = parse(text, { merge: true });
  const missing = [...apps, 'kafka', 'postgresql', 'redis', 'device'].filter((name) => !(name in compose.services));
  const environments = Object.entries(compose.services).filter(([name]) => apps.some((app) => app === name));
  const read = [];
  for (const [name, { environment = {} }] of environments) {
    const values = Object.entries(environment).map(([key, value]) => [key, interpolated(String(value))]);
    read.push(...(await environmentProblems('docker-compose.yml', name, Object.fromEntries(values))));
  }
  return [
    ...composeSchemaProblems(compose),
    ...missing.map((name) => `docker-compose.yml: has no ${name}`),
    ...Object.entries(compose.services).flatMap(([name, s]) => serviceProblems(name, s, compose, targets)),
    ...read,
  ];
};
