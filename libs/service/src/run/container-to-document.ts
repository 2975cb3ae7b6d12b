import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { CommonConfig } from '../config/common.js';
import { IdentityModule } from '../identity/identity.module.js';
import { platformModules } from './platform-modules.js';

/** The container of a module in which no provider is created: enough to document its controllers without infrastructure. */
export const containerToDocument = (module: DynamicModule | Type<unknown>): Promise<NestFastifyApplication> => {
  @Module({ imports: [...platformModules({} as CommonConfig), IdentityModule, module] })
  class DocumentedModule {}
  const options = { preview: true, logger: false, abortOnError: false } as const;
  return NestFactory.create<NestFastifyApplication>(DocumentedModule, new FastifyAdapter(), options);
};
