import { BackgroundWork, isId } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { uploadSilenceMs } from '../limits.js';
import { PackageStore } from '../packages/package-store.js';

const periodMs = 60_000;

/** Deletes uploads whose replica died, and bytes without a record. Bytes are stored after their record. */
@Injectable()
export class ImageSweeper extends BackgroundWork {
  constructor(
    private readonly database: DataSource,
    private readonly packages: PackageStore,
  ) {
    super(periodMs, 'abandoned uploads not deleted, tried again');
  }

  protected async step(): Promise<void> {
    const silentSince = new Date(this.clock.now() - uploadSilenceMs);
    const [abandoned] = (await this.database.query(
      'DELETE FROM campaigns.firmware_images WHERE NOT stored AND touched_at < $1 RETURNING id',
      [silentSince],
    )) as [{ id: string }[], number];
    for (const { id } of abandoned) await this.packages.remove(id);
    for await (const ids of this.packages.idsBefore(silentSince.getTime())) await this.removeUnknown(ids);
  }

  private async removeUnknown(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const known: { id: string }[] = await this.database.query(
      'SELECT id FROM campaigns.firmware_images WHERE id = ANY($1)',
      [ids],
    );
    const keep = new Set(known.map(({ id }) => id));
    for (const id of ids) if (isId(id) && !keep.has(id)) await this.packages.remove(id);
  }
}
