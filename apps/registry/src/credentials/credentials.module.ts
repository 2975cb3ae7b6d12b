import { Module } from '@nestjs/common';
import { CredentialsController } from './credentials.controller.js';
import { CredentialsService } from './credentials.service.js';

@Module({ controllers: [CredentialsController], providers: [CredentialsService] })
export class CredentialsModule {}
