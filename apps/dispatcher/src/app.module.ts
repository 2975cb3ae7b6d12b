import { type DynamicModule, Module } from '@nestjs/common';
import type { Assembly } from './assembly.js';
import { Channels } from './channels/channels.js';
import { ChannelsController } from './api/channels.controller.js';
import { SigningSecrets } from './channels/signing-secrets.js';
import { SigningSecretsController } from './api/signing-secrets.controller.js';
import { KeyDirectory } from './keys/key-directory.js';
import { Pull } from './delivery/pull.js';
import { PullController } from './api/pull.controller.js';
import { WebSocketController } from './api/websocket.controller.js';
import { ExplainController } from './explain/explain.controller.js';
import { Explanations } from './explain/explanations.js';
import { FactsConsumer } from './intake/facts.consumer.js';
import { Arrivals } from './intake/arrivals.js';
import { Intake } from './intake/intake.js';
import { EventTraces } from './tracing/event-traces.js';

@Module({})
export class AppModule {
  static of({ channels, secrets, pull, explanations, intake, arrivals, traces, keys }: Assembly): DynamicModule {
    return {
      module: AppModule,
      controllers: [
        ChannelsController,
        SigningSecretsController,
        PullController,
        WebSocketController,
        ExplainController,
        FactsConsumer,
      ],
      providers: [
        { provide: Channels, useValue: channels },
        { provide: SigningSecrets, useValue: secrets },
        { provide: Pull, useValue: pull },
        { provide: Explanations, useValue: explanations },
        { provide: Intake, useValue: intake },
        { provide: Arrivals, useValue: arrivals },
        { provide: EventTraces, useValue: traces },
        { provide: KeyDirectory, useValue: keys },
      ],
    };
  }
}
