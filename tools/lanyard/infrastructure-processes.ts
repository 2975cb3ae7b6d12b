/** How each server of the infrastructure is set up and started. docs/installation.md explains the important settings. */
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { clearAfterKill } from './postmaster.ts';
import { refuseSecondRedis } from './redis-folder.ts';
import { say, Stop } from './project.ts';
import { dropTornTransaction } from './redis-log.ts';
import type { ProcessSpec } from './processes.ts';

/**
 * `marker`: text in the command line of the process, by which a reused pid is noticed;
 * `signature`: text that is in the command line of this process and of no other on this machine
 */
export type ServerSpec = ProcessSpec & { marker: string; signature: string; stopSignal: NodeJS.Signals };

/**
 * `fast`: PostgreSQL does not wait for the disk, for tests;
 * `host`: an address of this machine at which others, such as the nodes of a local cluster, can reach it
 */
export interface ServerFolders {
  binaries: string;
  data: string;
  logs: string;
  fast: boolean;
  host?: string;
}

const loopback = '127.0.0.1';

/** A folder that only its owner can read, because it holds events, values and names. */
const privateFolder = (path: string) => {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o700);
  return path;
};

/** The password is in a file, because every user of the machine can see the command line. */
const redisPasswordFile = (folder: string, password: string) => {
  const path = join(folder, 'redis.conf');
  writeFileSync(path, `requirepass ${password}\n`, { mode: 0o600 });
  return path;
};

/** @param password without spaces and quotes */
export const redis = (
  { binaries, data, logs, host = loopback }: ServerFolders,
  port: number,
  password?: string,
): ServerSpec => {
  const folder = privateFolder(join(data, 'redis'));
  return {
    command: join(binaries, 'redis-server'),
    // Every write is on disk before it is answered, so a killed machine loses nothing.
    args: [
      ...(password === undefined ? [] : [redisPasswordFile(folder, password)]),
      ...['--port', String(port), '--bind', host, '--dir', folder, '--save', ''],
      ...['--appendonly', 'yes', '--appendfsync', 'always', '--maxmemory-policy', 'noeviction'],
    ],
    prepare: () => {
      refuseSecondRedis(folder);
      dropTornTransaction(join(folder, 'appendonly.aof'));
    },
    logFile: join(logs, 'redis.log'),
    marker: 'redis-server',
    // Redis shows this in place of its arguments.
    signature: `redis-server ${host}:${port}`,
    stopSignal: 'SIGTERM',
  };
};

/** Java reads properties as ISO 8859-1, and treats a backslash as the start of an escape. */
const propertyValue = (text: string) =>
  text.replace(/[^ -~]|\\/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Java decodes its arguments and encodes file names according to its locale. */
const javaEnvironment = () => ({ ...process.env, LC_ALL: 'C.UTF-8' });

const kafkaProperties = (data: string, host: string, port: number, controller: number) => `
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controller}
listeners=PLAINTEXT://${host}:${port},CONTROLLER://127.0.0.1:${controller}
advertised.listeners=PLAINTEXT://${host}:${port}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs=${propertyValue(data)}
num.partitions=4
default.replication.factor=1
auto.create.topics.enable=false
group.initial.rebalance.delay.ms=0
group.coordinator.append.linger.ms=0
offsets.topic.num.partitions=4
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
num.network.threads=2
num.io.threads=2
background.threads=2
log.cleaner.dedupe.buffer.size=16777216
log.index.size.max.bytes=1048576
log.segment.bytes=67108864
`;

/** Kafka separates folders with commas, and Java jars with colons: neither can be escaped. */
const refuseSeparators = (data: string, binaries: string) => {
  if (data.includes(',')) throw new Stop(`Kafka cannot store its data in a folder whose path has a comma: ${data}`);
  if (binaries.includes(':'))
    throw new Stop(`Java cannot load Kafka from a folder whose path has a colon: ${binaries}`);
};

/**
 * Formats the storage at the first start. Throws Stop if that fails, or for a folder that Kafka or Java cannot use.
 * @param controller port of the controller
 * @param more `properties`: further settings, which override those of the same name; `format`: further arguments of the
 * storage tool
 */
export const kafka = (
  { binaries, data, logs, fast, host = loopback }: ServerFolders,
  port: number,
  controller: number,
  { properties: settings, format: formatWith }: { properties: string; format: string[] } = {
    properties: '',
    format: [],
  },
): ServerSpec => {
  refuseSeparators(data, binaries);
  const folder = privateFolder(join(data, 'kafka'));
  const properties = join(folder, 'server.properties');
  const log = join(folder, 'log');
  writeFileSync(properties, kafkaProperties(log, host, port, controller) + settings, { mode: 0o600 });
  const jars = readdirSync(join(binaries, 'kafka'))
    .sort()
    .map((name) => join(binaries, 'kafka', name))
    .join(':');
  const common = [
    '-Xshare:auto',
    '-Djava.awt.headless=true',
    '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
    '-cp',
    jars,
  ];
  if (!existsSync(join(log, 'meta.properties'))) {
    const id = randomBytes(16).toString('base64url').replace(/^-/, 'A');
    const format = spawnSync(
      'java',
      [...common, 'kafka.tools.StorageTool', 'format', '-t', id, '-c', properties, '--ignore-formatted', ...formatWith],
      { encoding: 'utf8', env: javaEnvironment() },
    );
    if (format.status !== 0) throw new Stop(`Kafka's storage could not be formatted: ${format.stderr || format.error}`);
  }
  return {
    command: 'java',
    args: [
      '-Xms256m',
      '-Xmx512m',
      '-XX:+UseSerialGC',
      ...(fast ? ['-XX:TieredStopAtLevel=1'] : []),
      ...common,
      'kafka.Kafka',
      properties,
    ],
    env: javaEnvironment(),
    logFile: join(logs, 'kafka.log'),
    marker: properties,
    signature: `kafka.Kafka ${properties}`,
    stopSignal: 'SIGTERM',
  };
};

/** An unprivileged user: PostgreSQL does not run as root. */
const unprivileged = 65_534;
const isRoot = () => process.getuid?.() === 0;

const othersMayEnter = (folder: string) => {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(at) && (statSync(at).mode & 0o001) === 0) return false;
    if (dirname(at) === at) return true;
  }
};

/** The folder for PostgreSQL's data and binaries if root starts it, and its unprivileged user may not enter `data`. */
export const folderForNobody = (data: string) =>
  join('/var/lib/lanyard', createHash('sha256').update(data).digest('hex').slice(0, 12));

/** Removes a data folder of tests or benchmarks, with the parts of it that are elsewhere. */
export const removeData = (data: string) => {
  rmSync(folderForNobody(data), { recursive: true, force: true });
  rmSync(data, { recursive: true, force: true });
};

/**
 * Copies a folder so that others may enter the copy, whatever the umask of this process and the mode of the folder. A copy that
 * breaks off, as on a full disk, does not count.
 */
const copyForOthers = (from: string, to: string) => {
  const part = `${to}.part`;
  const umask = process.umask(0o022);
  try {
    for (const old of [part, to]) rmSync(old, { recursive: true, force: true });
    cpSync(from, part, { recursive: true, verbatimSymlinks: true });
    chmodSync(part, 0o755);
    renameSync(part, to);
  } finally {
    process.umask(umask);
  }
};

/** The folders of PostgreSQL: in the project, or elsewhere if its unprivileged user may not enter those. */
const postgresFolders = ({ binaries, data }: ServerFolders) => {
  const programs = join(binaries, 'postgres');
  if (!isRoot() || (othersMayEnter(data) && othersMayEnter(programs)))
    return { binaries: programs, data: join(data, 'postgresql') };
  const own = folderForNobody(data);
  const copy = join(own, 'binaries');
  if (!existsSync(join(copy, 'bin/postgres'))) {
    say(`PostgreSQL may not run as root and other users may not enter this folder: its data is in ${own}`);
    copyForOthers(programs, copy);
  }
  return { binaries: copy, data: join(own, 'postgresql') };
};

export const postgresql = (folders: ServerFolders, port: number, password: string): ServerSpec => {
  const { binaries, data } = postgresFolders(folders);
  const as = isRoot() ? { uid: unprivileged, gid: unprivileged } : {};
  const { host = loopback } = folders;
  if (!existsSync(join(data, 'PG_VERSION'))) {
    initialise(binaries, data, password, as);
    if (host !== loopback) appendFileSync(join(data, 'pg_hba.conf'), 'host all all samenet scram-sha-256\n');
  }
  const noFsync = folders.fast ? ['-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'synchronous_commit=off'] : [];
  return {
    command: join(binaries, 'bin/postgres'),
    args: [
      ...['-D', data, '-p', String(port), '-k', ''],
      ...['-c', `listen_addresses=${host}`, '-c', 'max_connections=400'],
      ...noFsync,
    ],
    env: { ...process.env, LC_ALL: 'C' },
    prepare: () => void clearAfterKill(data),
    logFile: join(folders.logs, 'postgresql.log'),
    marker: data,
    signature: `-D ${data} -p`,
    // Fast shutdown: ends sessions, keeps every commit.
    stopSignal: 'SIGINT',
    ...as,
  };
};

const initialise = (binaries: string, data: string, password: string, as: { uid?: number; gid?: number }) => {
  rmSync(data, { recursive: true, force: true });
  mkdirSync(dirname(data), { recursive: true });
  // Without `recursive`: the parents would get the same mode, and keep PostgreSQL's user out.
  mkdirSync(data, { mode: 0o700 });
  const passwordFile = `${data}.password`;
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (as.uid !== undefined) for (const path of [data, passwordFile]) chownSync(path, as.uid, as.gid ?? as.uid);
  const args = [
    ...['-D', data, '-U', 'lanyard', '-A', 'scram-sha-256', '--pwfile', passwordFile],
    ...['-E', 'UTF8', '--no-locale'],
  ];
  const result = spawnSync(join(binaries, 'bin/initdb'), args, { encoding: 'utf8', cwd: '/', ...as });
  rmSync(passwordFile);
  if (result.status !== 0)
    throw new Stop(`PostgreSQL's data folder could not be made: ${result.stderr || result.error}`);
};
