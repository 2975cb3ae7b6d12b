/** A file system of a few megabytes in memory, which a row can fill. Mounting it needs permissions that some machines do not grant. */
import { spawnSync } from 'node:child_process';
import {
  chownSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outputOf } from '../tools/lanyard/programs.ts';

const fillMs = 20;
const block = Buffer.alloc(64 * 1_024);

const mounted = new Set<string>();

const unmount = (folder: string) => {
  if (!mounted.delete(folder)) return;
  // A lazy unmount, because a killed process may hold a file for a moment.
  spawnSync('umount', ['-l', folder]);
};

process.on('exit', () => {
  for (const folder of mounted) unmount(folder);
});

export class SmallDisk {
  timer: NodeJS.Timeout | undefined;
  folder: string;
  ballast: string;
  file?: number;

  constructor(folder: string) {
    this.folder = folder;
    this.ballast = join(folder, 'ballast');
  }

  static mount(folder: string, megabytes: number) {
    mkdirSync(folder, { recursive: true });
    const { uid, gid, mode } = statSync(folder);
    const options = `size=${megabytes}m,uid=${uid},gid=${gid},mode=${(mode & 0o777).toString(8)}`;
    outputOf('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
    mounted.add(folder);
    return new SmallDisk(folder);
  }

  /** Mounts over a folder, and keeps its content. */
  static mountOver(folder: string, megabytes: number) {
    const before = `${folder}.before`;
    renameSync(folder, before);
    const { uid, gid, mode } = statSync(before);
    mkdirSync(folder, { mode: mode & 0o777 });
    chownSync(folder, uid, gid);
    const disk = SmallDisk.mount(folder, megabytes);
    outputOf('cp', ['-a', `${before}/.`, folder]);
    rmSync(before, { recursive: true });
    return disk;
  }

  /** Fills all space, including space that becomes free, until `free`. */
  fill() {
    const file = openSync(this.ballast, 'a');
    const fillFreeSpace = () => {
      for (let size = block.length; size > 0;)
        try {
          writeSync(file, block, 0, size);
        } catch {
          size = Math.floor(size / 2);
        }
    };
    fillFreeSpace();
    this.timer = setInterval(fillFreeSpace, fillMs);
    this.file = file;
  }

  free() {
    clearInterval(this.timer);
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
    rmSync(this.ballast, { force: true });
  }

  unmount() {
    this.free();
    unmount(this.folder);
  }
}

/** null until it was tried. */
let reason: string | undefined | null = null;

/** Why a small disk is not possible here; undefined if it is. */
export const cannotMount = () => {
  if (reason !== null) return reason;
  const folder = mkdtempSync(join(tmpdir(), 'lanyard-mount-'));
  try {
    SmallDisk.mount(folder, 1).unmount();
    reason = undefined;
  } catch (error) {
    reason = `a small file system cannot be mounted here (it needs root): ${error instanceof Error ? error.message.trim() : error}`;
  }
  rmSync(folder, { recursive: true, force: true });
  return reason;
};
