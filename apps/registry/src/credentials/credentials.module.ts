import { Module } from '@nestjs/common';
import { DevicesModule } from '../devices/devices.module.js';
import { CredentialsController } from './credentials.controller.js';
import { CredentialsService } from './credentials.service.js';

@Module({ imports: [DevicesModule], controllers: [CredentialsController], providers: [CredentialsService] })
export class CredentialsModule {}
