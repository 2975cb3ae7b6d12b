import { Module } from '@nestjs/common';
import { ProxyModule } from '../proxy/proxy.module.js';
import { Documents } from './documents.js';
import { WelcomeController } from './welcome.controller.js';

@Module({ imports: [ProxyModule], controllers: [WelcomeController], providers: [Documents] })
export class OpenApiModule {}
