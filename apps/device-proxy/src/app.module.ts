import { type DynamicModule, Module } from '@nestjs/common';
import type { Assembly } from './assembly.js';
import { CommandQueue } from './commands/command-queue.js';
import { Commands } from './commands/commands.js';
import { DeviceRequestsController } from './device-requests/device-requests.controller.js';
import { CommandHistory } from './commands/history.js';
import { CommandHistoryController } from './commands/history.controller.js';
import { WaitingCallers } from './device-requests/waiting-callers.js';
import { CachedValues } from './endpoints/cached-values.js';
import { Endpoints } from './endpoints/endpoints.js';
import { EndpointsController } from './endpoints/endpoints.controller.js';
import { ExplainController } from './explain/explain.controller.js';
import { Explanations } from './explain/explanations.js';
import { AccountSettings } from './intake/account-settings.js';
import { ObjectModelsController } from './models/object-models.controller.js';
import { UploadedModels } from './models/uploaded-models.js';
import { PresubscriptionsController } from './presubscriptions/presubscriptions.controller.js';
import { Rules } from './presubscriptions/rules.js';
import { Subscriptions } from './subscriptions/subscriptions.js';
import { SubscriptionsOfKeys } from './subscriptions/key-subscriptions.js';
import { KeySubscriptionsController } from './subscriptions/key-subscriptions.controller.js';
import { SubscriptionsController } from './subscriptions/subscriptions.controller.js';

/** The REST side. What it calls is put together in assembly.ts, where the device side hangs on the same parts. */
@Module({})
export class AppModule {
  static of(assembly: Assembly): DynamicModule {
    return {
      module: AppModule,
      controllers: [
        DeviceRequestsController,
        CommandHistoryController,
        EndpointsController,
        ExplainController,
        KeySubscriptionsController,
        ObjectModelsController,
        PresubscriptionsController,
        SubscriptionsController,
      ],
      providers: [
        { provide: Commands, useValue: assembly.commands },
        { provide: CommandQueue, useValue: assembly.queue },
        { provide: WaitingCallers, useValue: assembly.callers },
        { provide: UploadedModels, useValue: assembly.uploadedModels },
        { provide: CommandHistory, useValue: assembly.history },
        { provide: Explanations, useValue: assembly.explanations },
        { provide: CachedValues, useValue: assembly.cachedValues },
        { provide: Endpoints, useValue: assembly.endpoints },
        { provide: AccountSettings, useValue: assembly.accountSettings },
        { provide: Rules, useValue: assembly.rules },
        { provide: Subscriptions, useValue: assembly.subscriptions },
        { provide: SubscriptionsOfKeys, useValue: assembly.subscriptionsOfKeys },
      ],
    };
  }
}
