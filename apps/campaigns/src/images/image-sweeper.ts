import { BackgroundWork } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { uploadSilenceMs } from '../limits.js';
import { PackageFiles } from '../packages/package-files.js';

const periodMs = 60_000;

/** Deletes uploads whose replica died, and files without an image. A file is written after its record. */
@Injectable()
export class ImageSweeper extends BackgroundWork {
  constructor(
    private readonly database: DataSource,
    private readonly files: PackageFiles,
  ) {
    super(periodMs, 'abandoned uploads not deleted, tried again');
  }

  protected async step(): Promise<void> {
    const silentSince = new Date(this.clock.now() - uploadSilenceMs);
    await this.database.query('DELETE FROM campaigns.firmware_images WHERE NOT stored AND touched_at < $1', [
      silentSince,
    ]);
    const ids = await this.files.idsBefore(silentSince.getTime());
    if (ids.length === 0) return;
    const known: { id: string }[] = await this.database.query(
      'SELECT id FROM campaigns.firmware_images WHERE id = ANY($1)',
      [ids],
    );
    const keep = new Set(known.map(({ id }) => id));
    for (const id of ids) if (!keep.has(id)) await this.files.remove(id);
  }
}
