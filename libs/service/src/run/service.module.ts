import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD, DiscoveryModule } from '@nestjs/core';
import type { Clock } from '../clock.js';
import { ProbesController } from '../health/probes.controller.js';
import { DeclaredAccess } from '../identity/declared-access.js';
import { AUTHENTICATOR, type Authenticator, IdentityGuard } from '../identity/guard.js';
import { Health } from '../health/health.js';
import type { Logger } from '../telemetry/logger.js';
import { CLOCK, LOGGER } from '../tokens.js';
import { Metrics } from '../telemetry/metrics.js';
import { Tracing } from '../telemetry/tracing.js';

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
