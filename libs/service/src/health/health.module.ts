import { Global, Module } from '@nestjs/common';
import { Health } from './health.js';
import { ProbesController } from './probes.controller.js';

/** Readiness checks, which other modules add, and the probes and metrics that the operator's tools ask for. */
@Global()
@Module({ controllers: [ProbesController], providers: [Health], exports: [Health] })
export class HealthModule {}
