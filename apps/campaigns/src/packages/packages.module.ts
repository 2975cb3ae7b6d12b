import { Module } from '@nestjs/common';
import { PackageFiles } from './package-files.js';

@Module({ providers: [PackageFiles], exports: [PackageFiles] })
export class PackagesModule {}
