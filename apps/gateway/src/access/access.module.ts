import { Module } from '@nestjs/common';
import { AuthenticationModule } from '../authentication/authentication.module.js';
import { ProxyModule } from '../proxy/proxy.module.js';
import { AccessKeysController, ApplicationKeysController } from './access-keys.controller.js';
import { AccessKeysService } from './access-keys.service.js';
import { AccountTransactions } from './account-transactions.js';
import { AccountKeysController } from './account-keys.controller.js';
import { AccountUsages } from './account-usage.js';
import { AccountsController } from './accounts.controller.js';
import { AccountsService } from './accounts.service.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ApiKeysService } from './api-keys.service.js';
import { ApplicationsController } from './applications.controller.js';
import { ApplicationsService } from './applications.service.js';
import { FirstStart } from './first-start.js';
import { KeyGroupsController } from './key-groups.controller.js';
import { KeyGroupsService } from './key-groups.service.js';
import { KeySweeper } from './key-sweeper.js';
import { UsersController } from './users.controller.js';
import { UsersService } from './users.service.js';

@Module({
  imports: [AuthenticationModule, ProxyModule],
  controllers: [
    ApiKeysController,
    KeyGroupsController,
    ApplicationsController,
    ApplicationKeysController,
    AccessKeysController,
    AccountKeysController,
    AccountsController,
    UsersController,
  ],
  providers: [
    FirstStart,
    AccountTransactions,
    AccountsService,
    AccountUsages,
    ApiKeysService,
    KeyGroupsService,
    ApplicationsService,
    AccessKeysService,
    UsersService,
    KeySweeper,
  ],
  exports: [UsersService],
})
export class AccessModule {}
