import { type DynamicModule, Module } from '@nestjs/common';
import { AccessKeysController, ApplicationKeysController } from './access/access-keys.controller.js';
import { AccessKeys } from './access/access-keys.service.js';
import { AccountKeysController } from './access/account-keys.controller.js';
import { AccountUsages } from './access/account-usage.js';
import { AccountsController } from './access/accounts.controller.js';
import { Accounts } from './access/accounts.service.js';
import { ApiKeysController } from './access/api-keys.controller.js';
import { ApiKeys } from './access/api-keys.service.js';
import { ApplicationsController } from './access/applications.controller.js';
import { Applications } from './access/applications.service.js';
import { KeyGroupsController } from './access/key-groups.controller.js';
import { KeyGroups } from './access/key-groups.service.js';
import { ExplainController } from './explain/explain.controller.js';
import { Explanations } from './explain/explanations.js';
import { WelcomeController } from './openapi/welcome.controller.js';

export interface AppParts {
  accounts: Accounts;
  usages: AccountUsages;
  apiKeys: ApiKeys;
  keyGroups: KeyGroups;
  explanations: Explanations;
  applications: Applications;
  accessKeys: AccessKeys;
}

/** What the gateway itself serves; everything else goes through the reverse proxy (proxy/reverse-proxy.ts). */
@Module({})
export class AppModule {
  static of({ accounts, usages, apiKeys, keyGroups, applications, accessKeys, explanations }: AppParts): DynamicModule {
    return {
      module: AppModule,
      controllers: [
        ApiKeysController,
        KeyGroupsController,
        ApplicationsController,
        ApplicationKeysController,
        AccessKeysController,
        AccountKeysController,
        AccountsController,
        ExplainController,
        WelcomeController,
      ],
      providers: [
        { provide: Accounts, useValue: accounts },
        { provide: AccountUsages, useValue: usages },
        { provide: ApiKeys, useValue: apiKeys },
        { provide: KeyGroups, useValue: keyGroups },
        { provide: Explanations, useValue: explanations },
        { provide: Applications, useValue: applications },
        { provide: AccessKeys, useValue: accessKeys },
      ],
    };
  }
}
