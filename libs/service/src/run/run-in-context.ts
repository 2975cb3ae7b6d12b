import { type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { CommonConfig } from '../config/common.js';
import { type Logger, NestLogger } from '../telemetry/logger.js';
import { LOGGER } from '../tokens.js';
import { platformModules } from './platform-modules.js';

/** For a command of an app: runs `work` with the providers of a module, without HTTP, and closes them again. */
export const runInContext = async (
  module: Type<unknown>,
  config: CommonConfig,
  work: (context: INestApplicationContext) => Promise<void>,
): Promise<void> => {
  @Module({ imports: [...platformModules(config), module] })
  class CommandModule {}
  const context = await NestFactory.createApplicationContext(CommandModule, { bufferLogs: true, abortOnError: false });
  context.useLogger(new NestLogger(context.get<Logger>(LOGGER)));
  try {
    await work(context);
  } finally {
    await context.close();
  }
};
