import type { DynamicModule, Type } from '@nestjs/common';
import type { CommonConfig } from '../config/common.js';
import { ConfigModule } from '../config/config.module.js';
import { HealthModule } from '../health/health.module.js';
import { LifecycleModule } from '../lifecycle/lifecycle.module.js';
import { TelemetryModule } from '../telemetry/telemetry.module.js';

/** What every module of an app may inject from, whether a service runs or one of its commands. */
export const platformModules = (config: CommonConfig): (Type | DynamicModule)[] => [
  ConfigModule.forRoot(config),
  TelemetryModule,
  LifecycleModule,
  HealthModule,
];
