import { type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { systemClock } from '../clock.js';
import type { CommonConfig } from '../config/common.js';
import { ConfigModule } from '../config/config.module.js';
import { HealthModule } from '../health/health.module.js';
import { LifecycleModule } from '../lifecycle/lifecycle.module.js';
import { type Logger, NestLogger } from '../telemetry/logger.js';
import { TelemetryModule } from '../telemetry/telemetry.module.js';
import { LOGGER } from '../tokens.js';

/** For a command of an app: runs `work` with the providers of a module, without HTTP, and closes them again. */
export const runInContext = async (
  module: Type<unknown>,
  config: CommonConfig,
  work: (context: INestApplicationContext) => Promise<void>,
): Promise<void> => {
  @Module({
    imports: [
      ConfigModule.forRoot(config, systemClock),
      TelemetryModule.forRoot(),
      LifecycleModule,
      HealthModule,
      module,
    ],
  })
  class CommandModule {}
  const context = await NestFactory.createApplicationContext(CommandModule, { bufferLogs: true, abortOnError: false });
  context.useLogger(new NestLogger(context.get<Logger>(LOGGER)));
  try {
    await work(context);
  } finally {
    await context.close();
  }
};
