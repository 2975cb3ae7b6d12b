import { Module } from '@nestjs/common';
import { AuthenticationModule } from '../authentication/authentication.module.js';
import { SessionController } from './session.controller.js';
import { SessionRecords } from './session-records.service.js';

/** Signing in and out. */
@Module({
  imports: [AuthenticationModule],
  controllers: [SessionController],
  providers: [SessionRecords],
})
export class SessionModule {}
