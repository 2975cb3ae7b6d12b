import { Module } from '@nestjs/common';
import { AttemptRates } from './attempt-rates.js';
import { KeyLimiter } from './key-limiter.js';
import { SharedRates } from './shared-rates.js';

/** Rates of keys and accounts, which all replicas share, and of client addresses, which each replica counts alone. */
@Module({ providers: [SharedRates, KeyLimiter, AttemptRates], exports: [KeyLimiter, AttemptRates] })
export class LimitsModule {}
