import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** An incomplete folder that is older than this was abandoned: it never takes that long to fill one. */
const abandonedAfterMs = 24 * 3_600_000;

const isAbandoned = (folder: string) =>
  (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) < Date.now() - abandonedAfterMs;

/** Removes the incomplete folders of processes that were killed while they filled them. */
const removeAbandoned = (parent: string) => {
  const begun = readdirSync(parent).filter((name) => name.startsWith('new-'));
  for (const folder of begun.map((name) => join(parent, name)).filter(isAbandoned)) {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // It may belong to another user. It stays, and does not keep this process from making its own.
    }
  }
};

/**
 * A folder that `make` fills, once per version of `parts`: its name is `prefix` and a hash of them. Several processes may
 * need it at the same time: each makes its own, and the first that is complete is used. Other users may read it.
 */
export const madeOnce = async (
  prefix: string,
  parts: readonly (string | Buffer)[],
  make: (folder: string) => Promise<void>,
) => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  const target = prefix + hash.digest('hex').slice(0, 12);
  if (existsSync(target)) return target;
  mkdirSync(dirname(target), { recursive: true });
  removeAbandoned(dirname(target));
  const own = mkdtempSync(`${dirname(target)}/new-`);
  chmodSync(own, 0o755);
  try {
    await make(own);
    renameSync(own, target);
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
  return target;
};
