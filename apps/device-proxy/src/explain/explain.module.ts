import { Module } from '@nestjs/common';
import { CommandsModule } from '../commands/commands.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { ExplainController } from './explain.controller.js';
import { Explanations } from './explanations.js';

@Module({ imports: [CommandsModule, SessionsModule], controllers: [ExplainController], providers: [Explanations] })
export class ExplainModule {}
