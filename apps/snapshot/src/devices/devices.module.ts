import { Module } from '@nestjs/common';
import { DeviceWriter } from './device-writer.js';
import { LostSubscriptions } from './lost-subscriptions.js';

@Module({ providers: [DeviceWriter, LostSubscriptions], exports: [DeviceWriter, LostSubscriptions] })
export class DevicesModule {}
