import { Module } from '@nestjs/common';
import { SessionsModule } from '../sessions/sessions.module.js';
import { ExplainController } from './explain.controller.js';
import { Explanations } from './explanations.js';

@Module({ imports: [SessionsModule], controllers: [ExplainController], providers: [Explanations] })
export class ExplainModule {}
