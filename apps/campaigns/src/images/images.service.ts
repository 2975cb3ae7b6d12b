import type { Actor } from '@lanyard/contracts';
import { AuditTrail } from '@lanyard/kafka';
import {
  affected,
  BodyTooLarge,
  type Clock,
  CLOCK,
  CONFIG,
  fairPageOf,
  isId,
  isUniqueViolation,
  type ListEnvelope,
  type ListQuery,
  type Logger,
  LOGGER,
  mustMatch,
  newId,
} from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { DataSource, type EntityManager } from 'typeorm';
import type { CampaignsConfig } from '../config.js';
import {
  ChecksumDiffers,
  ImageEmpty,
  ImageInUse,
  ImageLimitExceeded,
  ImageNameTaken,
  ImageNotFound,
  UploadInterrupted,
} from '../errors.js';
import { imageBytesMax, imagesPerAccountMax } from '../limits.js';
import { PackageStore, type StoredPackage } from '../packages/package-store.js';
import { type Image, imageColumns, imageRecord, type NewImage } from './image-fields.js';

/** How often an upload in progress is marked as alive. */
const touchPeriodMs = 30_000;

/** First half of an advisory lock's key: the uploads of an account begin one after the other. */
const lockSpace = 0x0b21;

/** Packages: records in PostgreSQL, bytes in PackageStore. */
@Injectable()
export class ImagesService {
  constructor(
    private readonly database: DataSource,
    private readonly packages: PackageStore,
    private readonly audit: AuditTrail,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: CampaignsConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Stores the bytes as they arrive; the package exists when they are durable. Throws ImageNameTaken,
   * ImageLimitExceeded, ImageEmpty, ChecksumDiffers, UploadInterrupted, BodyTooLarge, StorageUnavailable.
   */
  async upload(actor: Actor, fields: NewImage, body: Readable, contentLength: number | undefined): Promise<Image> {
    const id = newId();
    const bytesMax = await this.begin(actor.accountId, id, fields, contentLength);
    try {
      const stored = await this.packages.store(id, this.touching(id, body), Math.min(bytesMax, imageBytesMax));
      if (stored.size === 0) throw new ImageEmpty();
      const { datafile_checksum: expected = stored.checksum } = fields;
      if (expected !== stored.checksum) throw new ChecksumDiffers(stored.checksum);
      return await this.database.transaction((manager) => this.complete(manager, actor, id, stored));
    } catch (error) {
      await this.discardUpload(id);
      // A package may be larger than what was left of the quota.
      throw error instanceof BodyTooLarge && bytesMax < imageBytesMax ? this.bytesExceeded() : error;
    }
  }

  /**
   * Deletes the record of an upload that failed, and then its bytes. If the record was committed, and only the answer to
   * the commit was lost, both stay.
   */
  private async discardUpload(id: string): Promise<void> {
    const sql = 'DELETE FROM campaigns.firmware_images WHERE id = $1 AND NOT stored';
    if ((await affected(this.database, sql, [id])) > 0) await this.removeBytes(id);
  }

  /** Never rejects, because the package no longer has a record: ImageSweeper removes bytes that are left over. */
  private async removeBytes(id: string): Promise<void> {
    await this.packages.remove(id).catch((err: unknown) => {
      this.logger.warn({ err, imageId: id }, 'bytes of a package not removed: will be retried');
    });
  }

  list(accountId: string, query: ListQuery): Promise<ListEnvelope<Image>> {
    const source = {
      selected: imageRecord,
      from: 'campaigns.firmware_images t',
      columns: imageColumns,
      where: 't.account_id = $1 AND t.stored',
      parameters: [accountId],
    };
    return fairPageOf(this.database, accountId, source, query);
  }

  async get(accountId: string, id: string, manager: EntityManager = this.database.manager): Promise<Image> {
    const [found]: Image[] = isId(id)
      ? await manager.query(
          `SELECT ${imageRecord} FROM campaigns.firmware_images t WHERE t.id = $1 AND t.account_id = $2 AND t.stored`,
          [id, accountId],
        )
      : [];
    if (!found) throw new ImageNotFound();
    return found;
  }

  /** Throws ImageInUse while a campaign that has not ended uses it. */
  async remove(actor: Actor, id: string, ifMatch?: string): Promise<void> {
    const { accountId } = actor;
    await this.database.transaction(async (manager) => {
      const sql = 'SELECT 1 FROM campaigns.firmware_images WHERE id = $1 AND account_id = $2 FOR UPDATE';
      if (isId(id)) await manager.query(sql, [id, accountId]);
      const image = await this.get(accountId, id, manager);
      mustMatch(ifMatch, image.etag);
      const used: unknown[] = await manager.query(
        `SELECT 1 FROM campaigns.update_campaigns WHERE image_id = $1 AND state NOT IN ('done', 'aborted') LIMIT 1`,
        [id],
      );
      if (used.length > 0) throw new ImageInUse();
      await manager.query('DELETE FROM campaigns.firmware_images WHERE id = $1', [id]);
      const target = { kind: 'firmware-image', id, name: image.name };
      await this.audit.record(manager, 'SYS_591', { accountId, actor, target });
    });
    await this.removeBytes(id);
  }

  /** Reserves room for the announced length, or for what the account may still store. Returns its size. */
  private async begin(
    accountId: string,
    id: string,
    fields: NewImage,
    contentLength: number | undefined,
  ): Promise<number> {
    const { name, description, version, object, package_name: packageName = null } = fields;
    try {
      return await this.database.transaction(async (manager) => {
        const room = await this.roomOf(manager, accountId);
        const bytesMax = contentLength ?? Math.max(1, Math.min(imageBytesMax, room));
        if (bytesMax > room) throw this.bytesExceeded();
        await manager.query(
          `INSERT INTO campaigns.firmware_images (id, account_id, name, description, version, object, package_name, size)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
          [id, accountId, name, description, version, object, packageName, bytesMax],
        );
        return bytesMax;
      });
    } catch (error) {
      throw isUniqueViolation(error) ? new ImageNameTaken() : error;
    }
  }

  /** How many bytes the account may still store. Uploads in progress count with the largest size that they may have. */
  private async roomOf(manager: EntityManager, accountId: string): Promise<number> {
    await manager.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [lockSpace, accountId]);
    const [used] = (await manager.query(
      `SELECT count(*)::int AS images, coalesce(sum(size), 0)::float8 AS bytes
       FROM campaigns.firmware_images WHERE account_id = $1`,
      [accountId],
    )) as { images: number; bytes: number }[];
    if ((used?.images ?? 0) >= imagesPerAccountMax) throw new ImageLimitExceeded(`${imagesPerAccountMax} packages`);
    return this.config.accountBytesMax - (used?.bytes ?? 0);
  }

  private bytesExceeded(): ImageLimitExceeded {
    return new ImageLimitExceeded(`${this.config.accountBytesMax} bytes of packages`);
  }

  private async complete(
    manager: EntityManager,
    actor: Actor,
    id: string,
    { size, checksum }: StoredPackage,
  ): Promise<Image> {
    const { accountId } = actor;
    const sql = `
      UPDATE campaigns.firmware_images SET stored = true, size = $2, checksum = $3, updated_at = clock_timestamp()
      WHERE id = $1`;
    if ((await affected(manager, sql, [id, size, checksum])) === 0) throw new UploadInterrupted();
    const image = await this.get(accountId, id, manager);
    const target = { kind: 'firmware-image', id, name: image.name };
    const data = { version: image.version, datafile_size: String(size), datafile_checksum: checksum };
    await this.audit.record(manager, 'SYS_590', { accountId, actor, target, data });
    return image;
  }

  /** Marks the upload as alive while its bytes arrive, by the clock of PostgreSQL, which decides when it is abandoned. */
  private async *touching(id: string, body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const sql = 'UPDATE campaigns.firmware_images SET touched_at = clock_timestamp() WHERE id = $1';
    let touchedMs = this.clock.now();
    for await (const chunk of body) {
      yield chunk;
      // The absolute difference, so that the upload does not count as abandoned after the clock was set back.
      if (Math.abs(this.clock.now() - touchedMs) < touchPeriodMs) continue;
      touchedMs = this.clock.now();
      await this.database.query(sql, [id]);
    }
  }
}
