import { AccountModels } from '@lanyard/lwm2m';
import { Module } from '@nestjs/common';
import { DeviceModelsReader } from './device-models.reader.js';

@Module({ providers: [AccountModels, DeviceModelsReader], exports: [AccountModels] })
export class ModelsModule {}
