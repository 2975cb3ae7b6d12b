import { Module } from '@nestjs/common';
import { ProxyModule } from '../proxy/proxy.module.js';
import { ExplainController } from './explain.controller.js';
import { Explanations } from './explanations.js';

@Module({ imports: [ProxyModule], controllers: [ExplainController], providers: [Explanations] })
export class ExplainModule {}
