import { Module } from '@nestjs/common';
import { PackagesModule } from '../packages/packages.module.js';
import { DownloadsController } from './downloads.controller.js';
import { Tickets } from './tickets.js';

@Module({ imports: [PackagesModule], controllers: [DownloadsController], providers: [Tickets], exports: [Tickets] })
export class DownloadsModule {}
