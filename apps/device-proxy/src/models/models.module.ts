import { Module } from '@nestjs/common';
import { ObjectModelsController } from './object-models.controller.js';
import { UploadedModels } from './uploaded-models.js';

@Module({ controllers: [ObjectModelsController], providers: [UploadedModels] })
export class ModelsModule {}
