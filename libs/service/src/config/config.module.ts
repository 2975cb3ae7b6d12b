import { type DynamicModule, Module } from '@nestjs/common';
import { systemClock } from '../clock.js';
import { CLOCK, CONFIG } from '../tokens.js';
import type { CommonConfig } from './common.js';

/** The configuration that `config.ts` has read, and the clock, for every module of the app. */
@Module({})
export class ConfigModule {
  static forRoot(config: CommonConfig): DynamicModule {
    const providers = [
      { provide: CONFIG, useValue: config },
      { provide: CLOCK, useValue: systemClock },
    ];
    return { module: ConfigModule, global: true, providers, exports: providers };
  }
}
