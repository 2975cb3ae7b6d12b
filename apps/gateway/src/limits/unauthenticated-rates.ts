import { CLOCK, type Clock, CONFIG } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { GatewayConfig } from '../config.js';
import { LocalRates } from './local-rates.js';

/** Requests without a valid key, by client address. */
@Injectable()
export class UnauthenticatedRates extends LocalRates {
  constructor(@Inject(CONFIG) { unauthenticatedRate }: GatewayConfig, @Inject(CLOCK) clock: Clock) {
    super(unauthenticatedRate, clock);
  }
}
