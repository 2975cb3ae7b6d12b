/** The state that is kept between starts: ports, pids, restarts (state.json) and secrets (secrets.json, 0600). */
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { newIdentityKeys } from './identity-keys.ts';
import { isProcess } from './processes.ts';
import { say, Stop } from './project.ts';
import { apps, type App, type Secrets } from './service-processes.ts';

/**
 * A process of the system. `marker`, `signature`: as in `ServerSpec`; `restarts`: how often it was restarted after its
 * death; `external`: a server that runs elsewhere, and is not stopped; `tls`: whether that server expects TLS
 */
export interface Unit {
  kind: 'infrastructure' | 'service';
  name: string;
  version: string;
  pid?: number;
  address: string;
  marker: string;
  signature?: string;
  restarts: number;
  external?: boolean;
  tls?: boolean;
  stopSignal: NodeJS.Signals;
}

interface State {
  starter?: number;
  started_at?: string;
  ports: Record<string, number>;
  base_url?: string;
  coap_urls: string[];
  coaps_urls?: string[];
  key_file?: string;
  units: Unit[];
}

/** `databasePassword`: password of the superuser, which no service uses */
export interface InfrastructurePasswords {
  databasePassword: string;
  servicePasswords: Record<App, string>;
  redisPassword: string;
}

export type InstallationSecrets = Secrets & InfrastructurePasswords;

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Text in the command line of every starter: the pid that a killed starter left may be that of another process now. */
const starterMarker = 'start.ts';

export class StateFile {
  path: string;
  lock: string;
  state: State;

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.path = join(folder, 'state.json');
    this.lock = join(folder, 'starter.pid');
    const saved = existsSync(this.path) ? readFileSync(this.path, 'utf8') : '';
    // A power failure may have left the file empty or filled with zeros. Nothing that it named runs any more.
    this.state = saved.replaceAll('\0', '') === '' ? { ports: {}, coap_urls: [], units: [] } : JSON.parse(saved);
  }

  save() {
    try {
      writeFileSync(`${this.path}.new`, JSON.stringify(this.state, null, 2));
      renameSync(`${this.path}.new`, this.path);
    } catch (error) {
      rmSync(`${this.path}.new`, { force: true });
      throw new Stop(`${this.path} could not be saved: ${messageOf(error)}`);
    }
  }

  /** Replaces the unit of the same name. */
  put(unit: Unit) {
    this.state.units = [...this.state.units.filter(({ name }) => name !== unit.name), unit];
  }

  /**
   * Records a unit before it launches its process: whatever happens to this process and its disk, `npm stop` and the next
   * start find the other process, by its signature if its pid could not be saved.
   */
  launch(unit: Unit, launch: () => number) {
    this.put(unit);
    this.save();
    unit.pid = launch();
    this.trySave();
  }

  /** Saves if possible, for code that must continue with a full disk. */
  trySave() {
    try {
      this.save();
    } catch (error) {
      say(messageOf(error));
    }
  }

  /** The pid of the running starter, if there is one. */
  runningStarter() {
    return this.claims().find((pid) => isProcess(pid, starterMarker));
  }

  /**
   * False when another starter has the lock: the first one in its file that runs. The claim of a killed starter stays in the
   * file: of two starters that removed it at the same time, one would remove the claim of the other.
   */
  acquire() {
    const isOther = (pid: number) => pid !== process.pid && isProcess(pid, starterMarker);
    if (this.claims().some(isOther)) return false;
    for (;;) {
      this.claim();
      const claims = this.claims();
      const own = claims.lastIndexOf(process.pid);
      // It is missing if the starter that had the lock has ended meanwhile, and removed the file.
      if (own >= 0) return !claims.slice(0, own).some(isOther);
    }
  }

  /** Removes the lock if this starter, which runs, has a claim to it: it may be that of another one by now. */
  release(starter = process.pid) {
    if (this.claims().includes(starter)) rmSync(this.lock, { force: true });
  }

  /** Pids of starters, in the order in which they asked for the lock. */
  private claims() {
    try {
      const lines = readFileSync(this.lock, 'utf8').split('\n');
      return lines.filter((line) => line !== '').map(Number);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  private claim() {
    try {
      // The line before may have no end.
      appendFileSync(this.lock, `\n${process.pid}\n`);
    } catch (error) {
      if (this.claims().length === 0) rmSync(this.lock, { force: true });
      throw new Stop(`${this.lock} could not be written: ${messageOf(error)}`);
    }
  }
}

/** Waits until a file, or the names in a folder, are on the disk. */
const flush = (path: string) => {
  const opened = openSync(path, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
};

const newPassword = () => randomBytes(24).toString('hex');

const newSecrets = (): InstallationSecrets => ({
  databasePassword: newPassword(),
  servicePasswords: Object.fromEntries(apps.map((app) => [app, newPassword()])) as Record<App, string>,
  redisPassword: newPassword(),
  ...newIdentityKeys(),
  encryptionKey: randomBytes(32).toString('base64'),
  accountId: Date.now().toString(16).padStart(12, '0') + randomBytes(10).toString('hex'),
});

/** Generated at the first start and never changed; secrets that an earlier version did not have are added. */
export const secretsOf = (folder: string): InstallationSecrets => {
  const path = join(folder, 'secrets.json');
  const stored = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
  const generated = newSecrets();
  const servicePasswords = { ...generated.servicePasswords, ...stored.servicePasswords };
  const secrets = { ...generated, ...stored, servicePasswords };
  if (isDeepStrictEqual(secrets, stored)) return stored;
  mkdirSync(folder, { recursive: true });
  // The file is replaced as a whole, because data are encrypted with a key in it: after a full disk or a power failure,
  // it is either the old or the new one.
  writeFileSync(`${path}.new`, JSON.stringify(secrets, null, 2), { mode: 0o600 });
  flush(`${path}.new`);
  renameSync(`${path}.new`, path);
  try {
    flush(folder);
  } catch {
    // Not every file system does that for a folder.
  }
  return secrets;
};
