import { Module } from '@nestjs/common';
import { StateModule } from '../state/state.module.js';
import { FirmwareReports } from './firmware-reports.js';

@Module({ imports: [StateModule], providers: [FirmwareReports], exports: [FirmwareReports] })
export class FirmwareModule {}
