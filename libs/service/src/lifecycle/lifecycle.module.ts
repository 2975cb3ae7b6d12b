import { Global, Module } from '@nestjs/common';
import { StopDeadline } from './stop-deadline.js';

@Global()
@Module({ providers: [StopDeadline], exports: [StopDeadline] })
export class LifecycleModule {}
