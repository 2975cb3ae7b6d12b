import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { BodyTooLarge, CONFIG } from '@lanyard/service';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { CampaignsConfig } from '../config.js';

export interface StoredPackage {
  size: number;
  /** SHA-256 in hex. */
  checksum: string;
}

const incoming = '.incoming';

/** A rename is durable once its folder is. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/**
 * The bytes of packages: one file each, named by the id. A file is complete, because it gets its name when all of its
 * bytes are on the disk. Replicas share the folder.
 */
@Injectable()
export class PackageFiles implements OnModuleInit {
  private readonly folder: string;

  constructor(@Inject(CONFIG) { dataDir }: CampaignsConfig) {
    this.folder = dataDir;
  }

  /** Fails the start if the folder cannot be used. */
  async onModuleInit(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
  }

  /** Stores the bytes as they arrive. Throws BodyTooLarge; nothing is stored then, nor when the body breaks off. */
  async store(id: string, body: AsyncIterable<Buffer>, bytesMax: number): Promise<StoredPackage> {
    const path = join(this.folder, `${id}${incoming}`);
    try {
      const stored = await this.write(path, body, bytesMax);
      await rename(path, join(this.folder, id));
      await syncFolder(this.folder);
      return stored;
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  }

  /** `end` is the last byte. */
  read(id: string, { start, end }: { start: number; end: number }): Readable {
    return createReadStream(join(this.folder, id), { start, end });
  }

  async remove(id: string): Promise<void> {
    await rm(join(this.folder, id), { force: true });
    await rm(join(this.folder, `${id}${incoming}`), { force: true });
  }

  /** Ids of the files that were last changed before. */
  async idsBefore(ms: number): Promise<string[]> {
    const names = await readdir(this.folder);
    const old = await Promise.all(names.map((name) => this.isOlder(name, ms)));
    return names.filter((_, i) => old[i]).map((name) => name.replace(incoming, ''));
  }

  private async isOlder(name: string, ms: number): Promise<boolean> {
    try {
      return (await stat(join(this.folder, name))).mtimeMs < ms;
    } catch {
      return false;
    }
  }

  private async write(path: string, body: AsyncIterable<Buffer>, bytesMax: number): Promise<StoredPackage> {
    const handle = await open(path, 'w', 0o600);
    const hash = createHash('sha256');
    let size = 0;
    try {
      for await (const chunk of body) {
        size += chunk.length;
        if (size > bytesMax) throw new BodyTooLarge(bytesMax);
        hash.update(chunk);
        await handle.write(chunk);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    return { size, checksum: hash.digest('hex') };
  }
}
