import { Module } from '@nestjs/common';
import { CommandsModule } from '../commands/commands.module.js';
import { InterestModule } from '../interest/interest.module.js';
import { ObservationsModule } from '../observations/observations.module.js';
import { PresubscriptionsModule } from '../presubscriptions/presubscriptions.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { StateModule } from '../state/state.module.js';
import { SubscriptionReconciler } from './subscription-reconciler.js';
import { DeviceSubscriptionsController } from './device-subscriptions.controller.js';
import { SubscriptionsOfDevice } from './device-subscriptions.js';
import { KeySubscriptionsController } from './key-subscriptions.controller.js';
import { SubscriptionsOfKeys } from './key-subscriptions.js';
import { Keys } from './keys.js';
import { SubscriptionsController } from './subscriptions.controller.js';
import { Subscriptions } from './subscriptions.js';

@Module({
  imports: [CommandsModule, PresubscriptionsModule, ObservationsModule, InterestModule, SessionsModule, StateModule],
  controllers: [DeviceSubscriptionsController, KeySubscriptionsController, SubscriptionsController],
  providers: [SubscriptionReconciler, Keys, Subscriptions, SubscriptionsOfDevice, SubscriptionsOfKeys],
  exports: [SubscriptionReconciler, Subscriptions],
})
export class SubscriptionsModule {}
