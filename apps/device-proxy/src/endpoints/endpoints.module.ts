import { Module } from '@nestjs/common';
import { CommandsModule } from '../commands/commands.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { StateModule } from '../state/state.module.js';
import { CachedValues } from './cached-values.js';
import { EndpointsController } from './endpoints.controller.js';
import { Endpoints } from './endpoints.js';

@Module({
  imports: [CommandsModule, SessionsModule, StateModule],
  controllers: [EndpointsController],
  providers: [CachedValues, Endpoints],
})
export class EndpointsModule {}
