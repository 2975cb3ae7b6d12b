import { Module } from '@nestjs/common';
import { SessionsModule } from '../sessions/sessions.module.js';
import { StateModule } from '../state/state.module.js';
import { PresubscriptionsController } from './presubscriptions.controller.js';
import { Rules } from './rules.js';

@Module({
  imports: [SessionsModule, StateModule],
  controllers: [PresubscriptionsController],
  providers: [Rules],
  exports: [Rules],
})
export class PresubscriptionsModule {}
