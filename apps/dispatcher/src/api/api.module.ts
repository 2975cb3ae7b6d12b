import { Module } from '@nestjs/common';
import { ChannelsModule } from '../channels/channels.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { KeysModule } from '../keys/keys.module.js';
import { AccountChannelsController } from './account-channels.controller.js';
import { ChannelsController } from './channels.controller.js';
import { FailingChannelsController } from './failing-channels.controller.js';
import { PullController } from './pull.controller.js';
import { SigningSecretsController } from './signing-secrets.controller.js';
import { WebSocketController } from './websocket.controller.js';

@Module({
  imports: [KeysModule, ChannelsModule, ConnectionsModule, DeliveryModule],
  controllers: [
    AccountChannelsController,
    ChannelsController,
    SigningSecretsController,
    PullController,
    WebSocketController,
    FailingChannelsController,
  ],
})
export class ApiModule {}
