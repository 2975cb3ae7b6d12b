/** What is remembered between starts: ports, pids, restarts (state.json) and secrets (secrets.json, 0600). */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isProcess } from './processes.mjs';

/**
 * @typedef {{ kind: 'engine' | 'service', name: string, version: string, pid?: number, address: string, marker: string, restarts: number, external?: boolean, stopSignal: NodeJS.Signals }} Unit
 * @typedef {{ starter?: number, started_at?: string, ports: Record<string, number>, base_url?: string, coap_urls: string[], key_file?: string, units: Unit[] }} State
 */

export class StateFile {
  /** @param {string} folder */
  constructor(folder) {
    mkdirSync(folder, { recursive: true });
    this.path = join(folder, 'state.json');
    this.lock = join(folder, 'starter.pid');
    /** @type {State} */
    this.state = existsSync(this.path)
      ? JSON.parse(readFileSync(this.path, 'utf8'))
      : { ports: {}, coap_urls: [], units: [] };
  }

  save() {
    writeFileSync(`${this.path}.new`, JSON.stringify(this.state, null, 2));
    renameSync(`${this.path}.new`, this.path);
  }

  /** The pid of the starter that runs, if one does. */
  runningStarter() {
    if (!existsSync(this.lock)) return undefined;
    const pid = Number(readFileSync(this.lock, 'utf8'));
    return isProcess(pid, 'node') ? pid : undefined;
  }

  /** False when another starter has it. A starter that was killed leaves a lock that counts for nothing. */
  acquire() {
    for (;;) {
      try {
        writeFileSync(this.lock, String(process.pid), { flag: 'wx' });
        return true;
      } catch {
        const other = this.runningStarter();
        if (other !== undefined && other !== process.pid) return false;
        rmSync(this.lock, { force: true });
      }
    }
  }

  release() {
    rmSync(this.lock, { force: true });
  }
}

/** Made at the first start, kept for ever. @param {string} folder */
export const secretsOf = (folder) => {
  const path = join(folder, 'secrets.json');
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    const secrets = {
      databasePassword: randomBytes(24).toString('hex'),
      identity: randomBytes(32).toString('hex'),
      encryptionKey: randomBytes(32).toString('base64'),
      accountId: Date.now().toString(16).padStart(12, '0') + randomBytes(10).toString('hex'),
    };
    writeFileSync(path, JSON.stringify(secrets, null, 2), { mode: 0o600 });
  }
  /** @type {{ databasePassword: string, identity: string, encryptionKey: string, accountId: string }} */
  const secrets = JSON.parse(readFileSync(path, 'utf8'));
  return secrets;
};
