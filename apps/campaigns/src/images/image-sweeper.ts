import { BackgroundWork, isId } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { uploadSilenceMs } from '../limits.js';
import { PackageStore } from '../packages/package-store.js';

const periodMs = 60_000;

/** By the clock of PostgreSQL, which dates the uploads: a replica with a fast clock must not delete those of the others. */
const abandonedSql = `
  DELETE FROM campaigns.firmware_images WHERE NOT stored AND touched_at < now() - make_interval(secs => $1)`;

/** Deletes uploads whose replica died, and bytes without a record. An upload stores its record before its bytes. */
@Injectable()
export class ImageSweeper extends BackgroundWork {
  constructor(
    private readonly database: DataSource,
    private readonly packages: PackageStore,
  ) {
    super(periodMs, 'abandoned uploads not deleted, tried again');
  }

  protected async step(): Promise<void> {
    await this.database.query(abandonedSql, [uploadSilenceMs / 1_000]);
    const silentSinceMs = this.clock.now() - uploadSilenceMs;
    for await (const ids of this.packages.idsBefore(silentSinceMs)) await this.removeUnknown(ids);
  }

  private async removeUnknown(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const known: { id: string }[] = await this.database.query(
      'SELECT id FROM campaigns.firmware_images WHERE id = ANY($1)',
      [ids],
    );
    const keep = new Set(known.map(({ id }) => id));
    for (const id of ids) if (isId(id) && !keep.has(id)) await this.remove(id);
  }

  /** If it fails, for example for a file of another user, the bytes of other packages are removed nevertheless. */
  private async remove(id: string): Promise<void> {
    await this.packages.remove(id).catch((err: unknown) => {
      this.logger.warn({ err, imageId: id }, 'bytes of a package not removed: will be retried');
    });
  }
}
