import { type Clock, CONFIG } from '@lanyard/service';
import { Module } from '@nestjs/common';
import type { DispatcherConfig } from '../config.js';
import { LocalClock } from '../queue/local-clock.js';
import { QueueModule } from '../queue/queue.module.js';
import { AddressGuard } from './address-guard.js';
import { CallbackSender } from './callback-sender.js';
import { SealedTargets } from './sealed-targets.js';

/** Requests to callback URLs, and which URLs are allowed. */
@Module({
  imports: [QueueModule],
  providers: [
    {
      provide: AddressGuard,
      inject: [CONFIG],
      useFactory: ({ callback }: DispatcherConfig) => new AddressGuard(callback.allowCidrs),
    },
    {
      provide: CallbackSender,
      inject: [AddressGuard, LocalClock, CONFIG],
      useFactory: (guard: AddressGuard, clock: Clock, { callback }: DispatcherConfig) =>
        new CallbackSender(guard, clock, callback),
    },
    SealedTargets,
  ],
  exports: [AddressGuard, CallbackSender, SealedTargets],
})
export class CallbackClientModule {}
