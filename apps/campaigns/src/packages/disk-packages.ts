import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ConfigError } from '@lanyard/service';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { StorageUnavailable } from '../errors.js';
import type { ByteRange } from './byte-range.js';
import { BodyMeter, PackageStore, type StoredPackage } from './package-store.js';

const incoming = '.incoming';

/** Errors of the file system have an `errno`; those of the body do not. */
const isFileSystemError = (error: unknown): boolean => error instanceof Error && 'errno' in error;

/** A rename in the folder is durable only after this. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Each package is one file, which gets its name only when all of its bytes are on the disk. Replicas share the folder. */
@Injectable()
export class DiskPackages extends PackageStore implements OnModuleInit {
  constructor(private readonly folder: string) {
    super();
  }

  /** Throws ConfigError without a folder. One that cannot be written is accepted: its packages can be downloaded. */
  async onModuleInit(): Promise<void> {
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw new ConfigError('CAMPAIGNS_DATA_DIR', `names a folder that cannot be created: ${String(error)}`);
    }
  }

  async store(id: string, body: AsyncIterable<Buffer>, bytesMax: number): Promise<StoredPackage> {
    const path = join(this.folder, `${id}${incoming}`);
    try {
      const stored = await this.write(path, body, bytesMax);
      await rename(path, join(this.folder, id));
      await syncFolder(this.folder);
      return stored;
    } catch (error) {
      // A file that cannot be removed now is removed later, as an abandoned upload.
      await rm(path, { force: true }).catch(() => undefined);
      throw isFileSystemError(error) ? new StorageUnavailable(error) : error;
    }
  }

  async read(id: string, { start, end }: ByteRange): Promise<Readable> {
    try {
      const handle = await open(join(this.folder, id), 'r');
      return handle.createReadStream({ start, end });
    } catch (error) {
      throw new StorageUnavailable(error);
    }
  }

  async remove(id: string): Promise<void> {
    await rm(join(this.folder, id), { force: true });
    await rm(join(this.folder, `${id}${incoming}`), { force: true });
  }

  async *idsBefore(ms: number): AsyncIterable<string[]> {
    const names = await readdir(this.folder);
    const old = await Promise.all(names.map((name) => this.isOlder(name, ms)));
    yield names.filter((_, i) => old[i]).map((name) => name.replace(incoming, ''));
  }

  private async isOlder(name: string, ms: number): Promise<boolean> {
    try {
      return (await stat(join(this.folder, name))).mtimeMs < ms;
    } catch {
      return false;
    }
  }

  private async write(path: string, body: AsyncIterable<Buffer>, bytesMax: number): Promise<StoredPackage> {
    const meter = new BodyMeter(bytesMax);
    const handle = await open(path, 'w', 0o600);
    try {
      // Not `write`, which may write only a part of the chunk.
      for await (const chunk of meter.measured(body)) await handle.appendFile(chunk);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return meter.result();
  }
}
