import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * A folder that `make` fills, once per version of `parts`: its name is `prefix` and a hash of them. Several processes may
 * want it at a time: each makes its own, and the first that is ready counts. Others than its maker may read it.
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
