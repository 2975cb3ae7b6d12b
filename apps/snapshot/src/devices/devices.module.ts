import { Module } from '@nestjs/common';
import { DeviceWriter } from './device-writer.js';

@Module({ providers: [DeviceWriter], exports: [DeviceWriter] })
export class DevicesModule {}
