import { Module } from '@nestjs/common';
import { KeyLimiter } from './key-limiter.js';
import { SharedRates } from './shared-rates.js';
import { UnauthenticatedRates } from './unauthenticated-rates.js';

/** Rates of keys and accounts, shared by all replicas, and of client addresses, counted by each replica. */
@Module({ providers: [SharedRates, KeyLimiter, UnauthenticatedRates], exports: [KeyLimiter, UnauthenticatedRates] })
export class LimitsModule {}
