import { Module } from '@nestjs/common';
import { IntakeModule } from '../intake/intake.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { PresubscriptionsController } from './presubscriptions.controller.js';
import { Rules } from './rules.js';

@Module({
  imports: [IntakeModule, SessionsModule],
  controllers: [PresubscriptionsController],
  providers: [Rules],
  exports: [Rules],
})
export class PresubscriptionsModule {}
