import { Module } from '@nestjs/common';
import { AuthenticationModule } from '../authentication/authentication.module.js';
import { ProxyModule } from '../proxy/proxy.module.js';
import { AccessKeysController, ApplicationKeysController } from './access-keys.controller.js';
import { AccessKeys } from './access-keys.service.js';
import { AccountTransactions } from './account-transactions.js';
import { AccountKeysController } from './account-keys.controller.js';
import { AccountUsages } from './account-usage.js';
import { AccountsController } from './accounts.controller.js';
import { Accounts } from './accounts.service.js';
import { ApiKeysController } from './api-keys.controller.js';
import { ApiKeys } from './api-keys.service.js';
import { ApplicationsController } from './applications.controller.js';
import { Applications } from './applications.service.js';
import { FirstStart } from './first-start.js';
import { KeyGroupsController } from './key-groups.controller.js';
import { KeyGroups } from './key-groups.service.js';
import { KeySweeper } from './key-sweeper.js';
import { UsersController } from './users.controller.js';
import { Users } from './users.service.js';

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
    Accounts,
    AccountUsages,
    ApiKeys,
    KeyGroups,
    Applications,
    AccessKeys,
    Users,
    KeySweeper,
  ],
  exports: [Users],
})
export class AccessModule {}
