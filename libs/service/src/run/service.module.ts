import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import type { Clock } from '../clock.js';
import { ProbesController } from '../http/probes.controller.js';
import { DeclaredAccess } from '../identity/declared-access.js';
import { AUTHENTICATOR, type Authenticator, IdentityGuard } from '../identity/guard.js';
import { Health } from '../telemetry/health.js';
import type { Logger } from '../telemetry/logger.js';
import { Metrics } from '../telemetry/metrics.js';
import { Tracing } from '../tracing/tracing.js';

/** Injection tokens of what every service has. Health and Metrics are injected by their class. */
export const CLOCK = Symbol('Clock');
export const LOGGER = Symbol('Logger');

export interface ServiceParts {
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
  health: Health;
  tracing: Tracing;
  authenticator: Authenticator;
}

/** Clock, logger, metrics, health and the identity guard, for every module of the app. */
@Module({})
export class ServiceModule {
  static of(parts: ServiceParts): DynamicModule {
    const providers = [
      { provide: CLOCK, useValue: parts.clock },
      { provide: LOGGER, useValue: parts.logger },
      { provide: Metrics, useValue: parts.metrics },
      { provide: Health, useValue: parts.health },
      { provide: Tracing, useValue: parts.tracing },
      { provide: AUTHENTICATOR, useValue: parts.authenticator },
    ];
    return {
      module: ServiceModule,
      global: true,
      imports: [DiscoveryModule],
      controllers: [ProbesController],
      providers: [...providers, { provide: APP_GUARD, useClass: IdentityGuard }, DeclaredAccess],
      exports: providers,
    };
  }
}
