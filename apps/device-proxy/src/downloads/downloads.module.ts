import { Module } from '@nestjs/common';
import { IntakeModule } from '../intake/intake.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { StateModule } from '../state/state.module.js';
import { Downloads } from './downloads.js';
import { PackageClient } from './package-client.js';
import { PackageRanges } from './package-ranges.js';
import { PackageSources } from './package-sources.js';
import { Tickets } from './tickets.js';

@Module({
  imports: [IntakeModule, SessionsModule, StateModule],
  providers: [Downloads, PackageClient, PackageRanges, PackageSources, Tickets],
  exports: [Downloads, PackageSources],
})
export class DownloadsModule {}
