import { Module } from '@nestjs/common';
import { PurgeService } from './purge.service.js';

@Module({ providers: [PurgeService] })
export class RetentionModule {}
