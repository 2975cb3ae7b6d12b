import { Module } from '@nestjs/common';
import { AttemptRates } from './attempt-rates.js';
import { KeyLimiter } from './key-limiter.js';
import { SharedRates } from './shared-rates.js';

/** Rates of keys and accounts, shared by all replicas, and of client addresses, counted by each replica. */
@Module({ providers: [SharedRates, KeyLimiter, AttemptRates], exports: [KeyLimiter, AttemptRates] })
export class LimitsModule {}
