import { type Clock, CLOCK, CONFIG, type Logger, LOGGER } from '@lanyard/service';
import { Module } from '@nestjs/common';
import type { CampaignsConfig } from '../config.js';
import { DiskPackages } from './disk-packages.js';
import { PackageStore } from './package-store.js';

/** The SDK of S3 is loaded only where it is used: it takes as long to load as everything else. */
const storeOf = async (
  { storage, secrets: { s3 } }: CampaignsConfig,
  logger: Logger,
  clock: Clock,
): Promise<PackageStore> => {
  if (storage.kind === 'disk') return new DiskPackages(storage.folder);
  const { S3Packages } = await import('./s3-packages.js');
  return new S3Packages({ ...storage, ...(s3 && { credentials: s3 }) }, logger, clock);
};

@Module({
  providers: [{ provide: PackageStore, useFactory: storeOf, inject: [CONFIG, LOGGER, CLOCK] }],
  exports: [PackageStore],
})
export class PackagesModule {}
