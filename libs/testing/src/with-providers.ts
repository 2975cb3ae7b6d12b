import type { DynamicModule, InjectionToken, NestApplicationOptions } from '@nestjs/common';
import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';

/** For `startService`: makes the application as usual, except for these providers. */
export const withProviders =
  (...overrides: (readonly [token: InjectionToken, value: unknown])[]) =>
  async (
    module: DynamicModule,
    adapter: FastifyAdapter,
    options: NestApplicationOptions,
  ): Promise<NestFastifyApplication> => {
    const builder = Test.createTestingModule({ imports: [module] });
    for (const [token, value] of overrides) builder.overrideProvider(token).useValue(value);
    return (await builder.compile()).createNestApplication<NestFastifyApplication>(adapter, options);
  };
