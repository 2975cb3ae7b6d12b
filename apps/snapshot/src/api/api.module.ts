import { Module } from '@nestjs/common';
import { ResourcesModule } from '../resources/resources.module.js';
import { EchoController } from './echo.controller.js';

@Module({ imports: [ResourcesModule], controllers: [EchoController] })
export class ApiModule {}
